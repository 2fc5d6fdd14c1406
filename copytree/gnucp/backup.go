package gnucp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// backupType is the way to keep a file before it is overwritten.
type backupType uint8

const (
	backupNone backupType = iota
	backupSimple
	backupExisting // numbered if the file has numbered backups, simple otherwise
	backupNumbered
)

// backups names the backups of files that are overwritten. Several goroutines may call its methods
// for different directories.
type backups struct {
	kind   backupType
	suffix string
}

// defaultSuffix ends the names of simple backups.
const defaultSuffix = "~"

// backups returns the kind of backups by the flags and the environment.
func (s *settings) backups() (backups, error) {
	b := backups{kind: backupNone, suffix: defaultSuffix}
	if !s.backup {
		return b, nil
	}
	for _, suffix := range []string{s.suffix, os.Getenv("SIMPLE_BACKUP_SUFFIX")} {
		if suffix != "" && !strings.ContainsRune(suffix, '/') {
			b.suffix = suffix
			break
		}
	}
	var err error
	switch control := os.Getenv("VERSION_CONTROL"); {
	case s.control != nil && *s.control != "":
		b.kind, err = match(*s.control, "backup type", backupWords)
	case control != "":
		b.kind, err = match(control, "$VERSION_CONTROL", backupWords)
	default:
		b.kind = backupExisting
	}
	return b, err
}

// name returns the path of dst's backup, or "" if dst gets none. It shortens a name that is too
// long for the file system as GNU cp does, except with --backup=simple. If the short name of a
// numbered backup exists, the error is EEXIST: no earlier backup is overwritten.
func (b backups) name(dst string) (string, error) {
	switch b.kind {
	case backupNone:
		return "", nil
	case backupSimple:
		return dst + b.suffix, nil
	}
	dir, base := filepath.Split(dst)
	highest, longest, err := highestBackup(filepath.Clean(dir), base)
	if err != nil {
		return "", err
	}
	suffix, numbered := b.suffix, highest != "" || b.kind == backupNumbered
	if numbered {
		suffix = ".~" + successor(highest) + "~"
	}
	name := dir + shortened(base, suffix, longest)
	if numbered {
		if _, err := os.Lstat(name); err == nil {
			return "", syscall.EEXIST
		}
	}
	return name, nil
}

// shortened returns base with suffix. If the result has longest bytes or more, the suffix becomes a
// tilde, which replaces the end of base if necessary. Like GNU cp it leaves one byte free.
func shortened(base, suffix string, longest int) string {
	longest--
	if len(base)+len(suffix) <= longest {
		return base + suffix
	}
	return base[:min(len(base), longest-1)] + "~"
}

// highestBackup returns the highest number of base's numbered backups in dir, or "" if there are
// none. It also returns the longest name that dir allows.
func highestBackup(dir, base string) (highest string, longest int, err error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return probedBackup(filepath.Join(dir, base)), unknownLongest, nil
	}
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, base+".~"); ok {
			highest = higher(highest, backupNumber(rest))
		}
	}
	return highest, longestName(f), err
}

// unknownLongest is the longest name that most file systems allow.
const unknownLongest = 255

// probedBackup is highestBackup in a directory that cannot be read: it returns the last number
// before the first free one.
func probedBackup(path string) (highest string) {
	for {
		next := successor(highest)
		if _, err := os.Lstat(path + ".~" + next + "~"); err != nil {
			return highest
		}
		highest = next
	}
}

// backupNumber returns the digits before the last ~, of any length, or "" if there are none.
func backupNumber(text string) string {
	digits, ok := strings.CutSuffix(text, "~")
	if !ok || strings.HasPrefix(digits, "0") || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}

// higher returns the higher one of two numbers without leading zeros.
func higher(a, b string) string {
	if len(a) != len(b) {
		if len(a) > len(b) {
			return a
		}
		return b
	}
	return max(a, b)
}

// successor returns the number after n; "1" after "".
func successor(n string) string {
	digits := []byte(n)
	for i, d := range slices.Backward(digits) {
		if d < '9' {
			digits[i]++
			return string(digits)
		}
		digits[i] = '0'
	}
	return "1" + string(digits)
}
