package cp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// name returns the path of dst's backup, "" if dst gets none.
func (b backups) name(dst string) (string, error) {
	switch b.kind {
	case backupNone:
		return "", nil
	case backupSimple:
		return dst + b.suffix, nil
	}
	highest, err := highestBackup(dst)
	switch {
	case err != nil:
		return "", err
	case highest == 0 && b.kind == backupExisting:
		return dst + b.suffix, nil
	}
	return dst + ".~" + strconv.FormatUint(highest+1, 10) + "~", nil
}

// highestBackup returns the highest number of the numbered backups of dst, 0
// if it has none.
func highestBackup(dst string) (highest uint64, err error) {
	dir, base := filepath.Split(dst)
	f, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, base+".~"); ok {
			highest = max(highest, backupNumber(rest))
		}
	}
	return highest, err
}

// backupNumber returns the number before the last ~, 0 if there is no number.
func backupNumber(text string) uint64 {
	digits, ok := strings.CutSuffix(text, "~")
	if !ok || strings.HasPrefix(digits, "0") {
		return 0
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
