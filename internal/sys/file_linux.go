//go:build amd64 || arm64

package sys

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxRW is the largest number of bytes that Linux transfers in one call (read(2), NOTES).
const MaxRW = 0x7ffff000

// MaxCached is the largest number of bytes that ReadCached copies in one call. The call is
// made without the Go scheduler's knowledge, so it keeps its P, and delays a garbage
// collection that wants to start, for as long as the copy takes: about 20 µs at this size. If
// the scheduler knew of the call, it would start another thread for the P whenever a copy
// takes longer than 20 µs.
const MaxCached = 256 << 10 // 256 KiB

// result returns the result of a system call as a kernel result.
func result(r uintptr, e syscall.Errno) int32 {
	if e != 0 {
		return -int32(e)
	}
	return int32(r)
}

// base returns the address to pass to the kernel for b. If b is empty, any address that is
// not nil will do.
func base(b []byte) unsafe.Pointer {
	if len(b) > 0 {
		return unsafe.Pointer(&b[0])
	}
	return unsafe.Pointer(&zero)
}

var zero uintptr

func clamp(b []byte) []byte {
	if len(b) > MaxRW {
		return b[:MaxRW]
	}
	return b
}

// ReadCached is preadv2(2) with RWF_NOWAIT (Linux 4.14). It copies what the page cache has,
// at most 256 KiB, without waiting. If it would have to wait, it returns a short count or
// -EAGAIN. It returns -EOPNOTSUPP if the file system does not support that. An off of -1
// reads at the file's own position, and moves it.
func ReadCached(fd int, b []byte, off int64) int32 {
	iov := syscall.Iovec{Base: (*byte)(base(b)), Len: uint64(min(len(b), MaxCached))}
	r, _, e := syscall.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(&iov)), 1, uintptr(off), 0, unix.RWF_NOWAIT)
	if e == 0 {
		RaceWrite(b[:r])
	}
	return result(r, e)
}

// CachedKnowsEnd reports whether a ReadCached that returns 0 has found the end of the file.
// Linux 5.9 and 5.10 also return 0 if they would have to wait (preadv2(2), BUGS). To be safe,
// it returns false for all releases before 6.0.
func CachedKnowsEnd() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	return knowsEnd(unix.ByteSliceToString(u.Release[:]))
}

// knowsEnd is CachedKnowsEnd of a release, such as "6.1.0-18-amd64".
func knowsEnd(release string) bool {
	number, _, _ := strings.Cut(release, ".")
	major, err := strconv.Atoi(number)
	return err == nil && major >= 6
}

// Pread is pread(2).
func Pread(fd int, b []byte, off int64) int32 {
	b = clamp(b)
	r, _, e := syscall.Syscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(base(b)), uintptr(len(b)), uintptr(off), 0, 0)
	if e == 0 {
		RaceWrite(b[:r])
	}
	return result(r, e)
}

// Pwrite is pwrite(2).
func Pwrite(fd int, b []byte, off int64) int32 {
	b = clamp(b)
	RaceRead(b)
	r, _, e := syscall.Syscall6(unix.SYS_PWRITE64, uintptr(fd), uintptr(base(b)), uintptr(len(b)), uintptr(off), 0, 0)
	return result(r, e)
}

// Read is read(2).
func Read(fd int, b []byte) int32 {
	b = clamp(b)
	r, _, e := syscall.Syscall(unix.SYS_READ, uintptr(fd), uintptr(base(b)), uintptr(len(b)))
	if e == 0 {
		RaceWrite(b[:r])
	}
	return result(r, e)
}

// Write is write(2).
func Write(fd int, b []byte) int32 {
	b = clamp(b)
	RaceRead(b)
	r, _, e := syscall.Syscall(unix.SYS_WRITE, uintptr(fd), uintptr(base(b)), uintptr(len(b)))
	return result(r, e)
}

// Fsync is fsync(2).
func Fsync(fd int) int32 {
	_, _, e := syscall.Syscall(unix.SYS_FSYNC, uintptr(fd), 0, 0)
	return result(0, e)
}

// Fdatasync is fdatasync(2).
func Fdatasync(fd int) int32 {
	_, _, e := syscall.Syscall(unix.SYS_FDATASYNC, uintptr(fd), 0, 0)
	return result(0, e)
}
