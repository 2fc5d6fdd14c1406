//go:build amd64 || arm64

package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxVec is the most buffers of one call. Linux takes 1024 (IOV_MAX), but the array is on the
// stack.
const maxVec = 64

// vec fills iov with first and rest, up to maxVec buffers and most bytes. It returns the
// number of buffers.
func vec(iov *[maxVec]syscall.Iovec, first []byte, rest [][]byte, most int) (n uintptr) {
	for b := first; ; b, rest = rest[0], rest[1:] {
		if len(b) > 0 {
			b = b[:min(len(b), most)]
			iov[n] = syscall.Iovec{Base: &b[0], Len: uint64(len(b))}
			most -= len(b)
			n++
		}
		if len(rest) == 0 || most == 0 || n == maxVec {
			return n
		}
	}
}

// PreadVec is preadv(2) into first and then rest, as many of them as one call takes.
func PreadVec(fd int, first []byte, rest [][]byte, off int64) int32 {
	if len(rest) == 0 {
		return Pread(fd, first, off)
	}
	var iov [maxVec]syscall.Iovec
	n := vec(&iov, first, rest, MaxRW)
	r, _, e := syscall.Syscall6(unix.SYS_PREADV, uintptr(fd), uintptr(unsafe.Pointer(&iov)), n, uintptr(off), 0, 0)
	if e == 0 {
		raceWriteVec(first, rest, int(r))
	}
	return result(r, e)
}

// ReadCachedVec is ReadCached into first and then rest.
func ReadCachedVec(fd int, first []byte, rest [][]byte, off int64) int32 {
	var iov [maxVec]syscall.Iovec
	n := vec(&iov, first, rest, MaxCached)
	r, _, e := syscall.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(&iov)), n, uintptr(off), 0, unix.RWF_NOWAIT)
	if e == 0 {
		raceWriteVec(first, rest, int(r))
	}
	return result(r, e)
}

// PwriteVec is pwritev(2) of first and then rest, as many of them as one call takes.
func PwriteVec(fd int, first []byte, rest [][]byte, off int64) int32 {
	if len(rest) == 0 {
		return Pwrite(fd, first, off)
	}
	RaceRead(first)
	for _, b := range rest {
		RaceRead(b)
	}
	var iov [maxVec]syscall.Iovec
	n := vec(&iov, first, rest, MaxRW)
	r, _, e := syscall.Syscall6(unix.SYS_PWRITEV, uintptr(fd), uintptr(unsafe.Pointer(&iov)), n, uintptr(off), 0, 0)
	return result(r, e)
}

// raceWriteVec calls RaceWrite for the first n bytes.
func raceWriteVec(first []byte, rest [][]byte, n int) {
	if !RaceEnabled {
		return
	}
	RaceWrite(first[:min(len(first), n)])
	n -= len(first)
	for _, b := range rest {
		if n <= 0 {
			return
		}
		RaceWrite(b[:min(len(b), n)])
		n -= len(b)
	}
}
