//go:build amd64 || arm64

package sys

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxCached is the largest number of bytes that ReadCached copies in one call. The call is
// made without the Go scheduler's knowledge, so it keeps its P, and delays a garbage
// collection that wants to start, for as long as the copy takes: about 20 µs at this size. If
// the scheduler knew of the call, it would start another thread for the P whenever a copy
// takes longer than 20 µs.
const MaxCached = 256 << 10 // 256 KiB

// ReadCached is preadv2(2) with RWF_NOWAIT (Linux 4.14). It copies the bytes that the page cache
// has, at most 256 KiB, and cannot wait. If it would have to wait, it returns a short count or
// -EAGAIN. It returns -EOPNOTSUPP if the file system does not support that. An off of -1 reads at
// the file's own position, and moves it.
func ReadCached(fd int, b []byte, off int64) int32 {
	v := CachedVec(b)
	res := ResultOf(ReadCachedInto(fd, &v, off))
	if res > 0 {
		RaceWrite(b[:res])
	}
	return res
}

// Iovec describes a buffer to the kernel.
type Iovec = syscall.Iovec

// CachedVec returns the Iovec of what ReadCached reads into b.
func CachedVec(b []byte) Iovec {
	return Iovec{Base: (*byte)(base(b)), Len: uint64(min(len(b), MaxCached))}
}

// ReadCachedInto is the system call of ReadCached, small enough to be inlined. After a system call
// the processor mispredicts the return of each function that led to it, which costs a cached read 1
// % each. The caller passes the result to ResultOf, and calls RaceWrite.
func ReadCachedInto(fd int, v *Iovec, off int64) (uintptr, syscall.Errno) {
	r, _, e := syscall.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(v)), 1, uintptr(off), 0, unix.RWF_NOWAIT)
	return r, e
}

// ResultOf returns the result of a system call as a kernel result.
func ResultOf(r uintptr, e syscall.Errno) int32 { return result(r, e) }

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
