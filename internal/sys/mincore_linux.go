package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Mincore sets the lowest bit of a byte of vec for each page of b that is in memory (mincore(2)). b
// begins at a page. It must be mapped, and stay so during the call.
func Mincore(b, vec []byte) error {
	if pages := (len(b) + unix.Getpagesize() - 1) / unix.Getpagesize(); len(vec) < pages {
		return unix.EINVAL // the kernel would write past vec
	}
	_, _, errno := syscall.RawSyscall(unix.SYS_MINCORE, AddressOf(b), uintptr(len(b)), uintptr(unsafe.Pointer(unsafe.SliceData(vec))))
	if errno != 0 {
		return errno
	}
	return nil
}
