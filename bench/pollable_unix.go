//go:build unix

package bench

import (
	"os"
	"syscall"
)

// pollable returns f in a form that takes no thread to wait for: a worker's threads are part of its
// result.
func pollable(f *os.File) *os.File {
	fd := int(f.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return f
	}
	return os.NewFile(uintptr(fd), f.Name())
}
