package mapped

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mincore sets the lowest bit of vec for each page of b that is in the page cache. b begins at a
// page, and has at most pagesInWord of them.
func mincore(b []byte, vec *[pagesInWord]byte) error {
	_, _, errno := syscall.RawSyscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(unsafe.Pointer(vec)))
	if errno != 0 {
		return errno
	}
	return nil
}

// mayAsk reports whether mincore tells the truth about the file. To others than its owner, and
// those who may write to it, it says that each page is resident (since Linux 5.2).
func mayAsk(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	if int(st.Uid) == unix.Geteuid() {
		return true
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
