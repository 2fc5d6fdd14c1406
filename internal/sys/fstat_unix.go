//go:build unix

package sys

import "golang.org/x/sys/unix"

// Fstat is fstat(2). It repeats the call while a signal interrupts it, as can happen on FUSE.
func Fstat(fd int, st *unix.Stat_t) error {
	return IgnoringEINTR(func() error { return unix.Fstat(fd, st) })
}
