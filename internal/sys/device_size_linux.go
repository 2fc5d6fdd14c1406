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
