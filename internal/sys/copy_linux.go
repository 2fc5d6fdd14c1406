package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Sendfile is sendfile(2) of n bytes at most from in's position to out.
func Sendfile(out, in, n int) int32 {
	n, err := unix.Sendfile(out, in, nil, n)
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return int32(n)
}
