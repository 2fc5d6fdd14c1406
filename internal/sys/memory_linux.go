package sys

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// Memory returns how much memory this process may use, in bytes: the machine's, or the limit of its
// control group if that is less. It returns 0 if that is not known.
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

// MemoryAndSwap returns how much memory the machine has, with its swap, in bytes. It returns 0
// if that is not known.
func MemoryAndSwap() int64 {
	var si unix.Sysinfo_t
	if unix.Sysinfo(&si) != nil {
		return 0
	}
	return (int64(si.Totalram) + int64(si.Totalswap)) * int64(si.Unit)
}

// rootFS reads files of the system. It only supports fs.ReadFile. Neither rootFS nor the Go runtime
// keeps a descriptor open: a program may close all descriptors when it begins.
type rootFS struct{}

// Open implements fs.FS.
func (rootFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (rootFS) ReadFile(name string) ([]byte, error) { return readWhole("/" + name) }
