package sys

import (
	"io"
	"syscall"
)

// Tell returns the position of fd, if it has one.
func Tell(fd int) (int64, bool) { return Advance(fd, 0) }

// Advance moves the position of fd by n bytes and returns the new position. It returns false if fd
// has no position, or cannot have that one.
func Advance(fd int, n int64) (int64, bool) {
	pos, err := syscall.Seek(syscall.Handle(fd), n, io.SeekCurrent)
	return pos, err == nil
}

// RegularSize returns false: no caller needs it here.
func RegularSize(int) (int64, bool) { return 0, false }

// FileSize returns false: no caller needs it here.
func FileSize(int) (int64, bool) { return 0, false }
