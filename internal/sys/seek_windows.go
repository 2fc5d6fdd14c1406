package sys

import (
	"io"
	"syscall"
)

// Tell returns the position of fd, if it has one.
func Tell(fd int) (int64, bool) {
	pos, err := syscall.Seek(syscall.Handle(fd), 0, io.SeekCurrent)
	return pos, err == nil
}

// SeekTo sets the position of fd, which Tell has found to have one.
func SeekTo(fd int, pos int64) {
	syscall.Seek(syscall.Handle(fd), pos, io.SeekStart)
}
