//go:build unix

package sys

import (
	"io"
	"syscall"
)

// Tell returns the position of fd, if it has one.
func Tell(fd int) (int64, bool) {
	pos, err := syscall.Seek(fd, 0, io.SeekCurrent)
	return pos, err == nil
}

// SeekTo sets the position of fd, which Tell has found to have one.
func SeekTo(fd int, pos int64) {
	syscall.Seek(fd, pos, io.SeekStart)
}
