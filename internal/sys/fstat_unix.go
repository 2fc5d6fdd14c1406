//go:build unix

package sys

import "golang.org/x/sys/unix"

// Fstat is fstat(2). It repeats the call while a signal interrupts it, as can happen on FUSE.
func Fstat(fd int, st *unix.Stat_t) error {
	return IgnoringEINTR(func() error { return unix.Fstat(fd, st) })
}

// RegularSize returns the size of the file fd. ok is false if it is not regular, or if the system
// has no size for it.
func RegularSize(fd int) (int64, bool) {
	var st unix.Stat_t
	err := Fstat(fd, &st)
	return st.Size, err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

// FileSize returns the size of the file fd, if the system has one. A block device has size 0
// (stat(2)).
func FileSize(fd int) (int64, bool) {
	var st unix.Stat_t
	err := Fstat(fd, &st)
	return st.Size, err == nil
}
