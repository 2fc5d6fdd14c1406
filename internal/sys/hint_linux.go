package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setRWHint is fcntl(2) with F_SET_RW_HINT (Linux 4.13): how long the data written to the
// file is expected to live. It returns -EINVAL if the kernel does not know the hint.
func setRWHint(fd int, hint uint64) int32 {
	_, _, e := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SET_RW_HINT, uintptr(unsafe.Pointer(&hint)))
	return -int32(e)
}
