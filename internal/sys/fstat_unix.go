//go:build unix

package sys

import "golang.org/x/sys/unix"

// Fstat is fstat(2). It repeats the call while a signal interrupts it, as can happen on FUSE.
func Fstat(fd int, st *unix.Stat_t) error {
	return IgnoringEINTR(func() error { return unix.Fstat(fd, st) })
}

// FileSize returns the size of the file fd, if the system says one. That of a block device is 0 (stat(2)).
func FileSize(fd int) (int64, bool) {
	var st unix.Stat_t
	err := Fstat(fd, &st)
	return st.Size, err == nil
}
