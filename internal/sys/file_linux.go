//go:build amd64 || arm64

package sys

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxRW is the most that Linux transfers in one call (read(2), NOTES).
const MaxRW = 0x7ffff000

// MaxCached is the most that ReadCached copies in one call. The call is made
// without telling the Go scheduler, so it holds its P, and with it a garbage
// collection that wants to start, for as long as the copy takes: some 20 µs
// at this size. Were the scheduler told, it would start another thread for
// the P whenever a copy takes longer than its monitor's tick of 20 µs.
const MaxCached = 256 << 10 // 256 KiB

// result turns a system call's return into a kernel result.
func result(r uintptr, e syscall.Errno) int32 {
	if e != 0 {
		return -int32(e)
	}
	return int32(r)
}

// base is the address to hand to the kernel for b; any non-nil one will do
// when b is empty.
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

// ReadCached is preadv2(2) with RWF_NOWAIT (Linux 4.14): it copies what the
// page cache holds, 256 KiB at most, without waiting, and returns a short
// count or -EAGAIN where it would have had to wait, -EOPNOTSUPP where the file
// system cannot tell. An off of -1 uses and moves the file's own position.
func ReadCached(fd int, b []byte, off int64) int32 {
	iov := syscall.Iovec{Base: (*byte)(base(b)), Len: uint64(min(len(b), MaxCached))}
	r, _, e := syscall.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(&iov)), 1, uintptr(off), 0, unix.RWF_NOWAIT)
	if e == 0 {
		RaceWrite(b[:r])
	}
	return result(r, e)
}

// CachedKnowsEnd tells whether a ReadCached that returns 0 has found the end of
// the file. Linux 5.9 and 5.10 return 0 where they would have had to wait, too
// (preadv2(2), BUGS); who calls himself older than 6.0 is not relied upon.
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
