package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// DeviceSize returns the size of the block device fd in bytes (ioctl BLKGETSIZE64).
func DeviceSize(fd int) (int64, error) {
	var size uint64
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.BLKGETSIZE64, uintptr(unsafe.Pointer(&size))); e != 0 {
		return 0, e
	}
	return int64(size), nil
}

// setRWHint is fcntl(2) with F_SET_RW_HINT (Linux 4.13): how long the data written to the
// file is expected to live. It returns -EINVAL if the kernel does not know the hint.
func setRWHint(fd int, hint uint64) int32 {
	_, _, e := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SET_RW_HINT, uintptr(unsafe.Pointer(&hint)))
	return -int32(e)
}
