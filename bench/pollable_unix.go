//go:build unix

package bench

import (
	"os"
	"syscall"
)

// pollable returns f such that waiting for it takes no thread: the threads of
// a worker are part of its result.
func pollable(f *os.File) *os.File {
	fd := int(f.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return f
	}
	return os.NewFile(uintptr(fd), f.Name())
}
