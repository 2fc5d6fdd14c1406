package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// ThreadWaits returns how often the calling thread has given up its processor to wait
// (getrusage(2), RUSAGE_THREAD, ru_nvcsw). A thread that was interrupted because its time slice was
// over has not waited.
func ThreadWaits() (n int64, ok bool) {
	var u unix.Rusage
	_, _, errno := unix.RawSyscall(unix.SYS_GETRUSAGE, unix.RUSAGE_THREAD, uintptr(unsafe.Pointer(&u)), 0)
	return int64(u.Nvcsw), errno == 0 //nolint:unconvert // it has 32 bits on 386
}
