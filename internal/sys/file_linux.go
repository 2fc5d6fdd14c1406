//go:build amd64 || arm64

package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxRW is the largest number of bytes that Linux transfers in one call (read(2), NOTES).
const MaxRW = 0x7ffff000

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

// Base returns the address of b for PreadInto and PwriteFrom, also if b is empty.
func Base(b []byte) *byte { return (*byte)(base(b)) }

func clamp(b []byte) []byte {
	if len(b) > MaxRW {
		return b[:MaxRW]
	}
	return b
}

// Pread is pread(2).
func Pread(fd int, b []byte, off int64) int32 {
	b = clamp(b)
	res := ResultOf(PreadInto(fd, (*byte)(base(b)), len(b), off))
	if res > 0 {
		RaceWrite(b[:res])
	}
	return res
}

// PreadInto is the system call of Pread, of n bytes into b. It is inlined; see ReadCachedInto.
func PreadInto(fd int, b *byte, n int, off int64) (uintptr, syscall.Errno) {
	r, _, e := syscall.Syscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(b)), uintptr(n), uintptr(off), 0, 0)
	return r, e
}

// Pwrite is pwrite(2).
func Pwrite(fd int, b []byte, off int64) int32 {
	b = clamp(b)
	RaceRead(b)
	return ResultOf(PwriteFrom(fd, (*byte)(base(b)), len(b), off))
}

// PwriteFrom is the system call of Pwrite, of n bytes from b. It is inlined; see ReadCachedInto.
func PwriteFrom(fd int, b *byte, n int, off int64) (uintptr, syscall.Errno) {
	r, _, e := syscall.Syscall6(unix.SYS_PWRITE64, uintptr(fd), uintptr(unsafe.Pointer(b)), uintptr(n), uintptr(off), 0, 0)
	return r, e
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
