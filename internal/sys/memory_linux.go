package sys

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Memory is how much memory this process may use, in bytes: the machine's, or
// the least that a control group which it is in allows; 0 if that is not known.
func Memory() int64 {
	least := cgroupMemory(rootFS{})
	var si unix.Sysinfo_t
	if unix.Sysinfo(&si) == nil {
		least = min(least, int64(si.Totalram)*int64(si.Unit))
	}
	if least == unlimited {
		return 0
	}
	return least
}

// rootFS is the system's files, of which whole ones are read (fs.ReadFile). It
// leaves no descriptor behind, and none of the Go runtime's: a program may close
// all descriptors when it begins.
type rootFS struct{}

// Open implements fs.FS.
func (rootFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (rootFS) ReadFile(name string) ([]byte, error) { return readWhole("/" + name) }
