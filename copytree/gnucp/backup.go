package gnucp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// backupType is how a file is kept before it is overwritten.
type backupType uint8

const (
	backupNone backupType = iota
	backupSimple
	backupExisting // numbered if the file has numbered backups, simple otherwise
	backupNumbered
)

// backups names what files are renamed to before they are overwritten. Its
// methods may be called by several goroutines for different directories.
type backups struct {
	kind   backupType
	suffix string
}

// defaultSuffix ends the names of simple backups.
const defaultSuffix = "~"

// backups returns how files are kept, by the flags and the environment.
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

// name returns the path of dst's backup, "" if dst gets none. A name that is too long for the file
// system is shortened, as GNU cp does, except with --backup=simple. If a numbered backup's short
// name is taken, the error is EEXIST: an earlier backup is kept.
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

// shortened returns base with suffix. If that has longest bytes or more, the suffix is a tilde, in
// place of base's last bytes where there is no room for it: GNU cp leaves one byte free.
func shortened(base, suffix string, longest int) string {
	longest--
	if len(base)+len(suffix) <= longest {
		return base + suffix
	}
	return base[:min(len(base), longest-1)] + "~"
}

// highestBackup returns the highest number of the numbered backups of base in dir, "" if it has
// none, and how long names there may be.
func highestBackup(dir, base string) (highest string, longest int, err error) {
	f, err := os.Open(dir)
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

// backupNumber returns the number before the last ~, "" if there is no number. It is of any length.
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
