//go:build unix

package sys

import (
	"io"
	"syscall"
)

// Tell returns the position of fd, if it has one.
func Tell(fd int) (int64, bool) { return Advance(fd, 0) }

// Advance moves the position of fd by n bytes, in one step for all its users, and returns the new
// position. It returns false if fd has no position, or cannot have that one.
func Advance(fd int, n int64) (int64, bool) {
	pos, err := syscall.Seek(fd, n, io.SeekCurrent)
	return pos, err == nil
}
