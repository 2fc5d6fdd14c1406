//go:build !(linux && (amd64 || arm64))

package sys

import (
	"syscall"
	"unsafe"
)

// MaxCached is the largest number of bytes that ReadCached copies in one call.
const MaxCached = MaxRW

// ReadCached returns -EOPNOTSUPP: it is for Linux only.
func ReadCached(int, []byte, int64) int32 { return -int32(syscall.EOPNOTSUPP) }

// Iovec describes a buffer to the kernel.
type Iovec struct{}

// CachedVec returns the Iovec of what ReadCached reads into b.
func CachedVec([]byte) Iovec { return Iovec{} }

// ReadCachedInto returns EOPNOTSUPP.
func ReadCachedInto(int, *Iovec, int64) (uintptr, syscall.Errno) { return 0, syscall.EOPNOTSUPP }

// CachedKnowsEnd returns false.
func CachedKnowsEnd() bool { return false }

// Base returns the address of b.
func Base(b []byte) *byte { return unsafe.SliceData(b) }

// PreadInto is Pread of n bytes into b.
func PreadInto(fd int, b *byte, n int, off int64) (uintptr, syscall.Errno) {
	res := Pread(fd, unsafe.Slice(b, n), off)
	if res < 0 {
		return 0, syscall.Errno(-res)
	}
	return uintptr(res), 0
}

// PwriteFrom is the system call of Pwrite, of n bytes from b.
func PwriteFrom(fd int, b *byte, n int, off int64) (uintptr, syscall.Errno) {
	res := Pwrite(fd, unsafe.Slice(b, n), off)
	if res < 0 {
		return 0, syscall.Errno(-res)
	}
	return uintptr(res), 0
}

// ResultOf returns the result of a system call as a kernel result.
func ResultOf(r uintptr, e syscall.Errno) int32 {
	if e != 0 {
		return -int32(e)
	}
	return int32(r)
}
