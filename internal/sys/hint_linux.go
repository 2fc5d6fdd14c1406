package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setRWHint is fcntl(2) with F_SET_RW_HINT (Linux 4.13): how long what is
// written to the file will live. -EINVAL means that the kernel has none, or not
// this one.
func setRWHint(fd int, hint uint64) int32 {
	_, _, e := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SET_RW_HINT, uintptr(unsafe.Pointer(&hint)))
	return -int32(e)
}
