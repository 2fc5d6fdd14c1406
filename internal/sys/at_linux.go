//go:build amd64 || arm64

package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The names that these functions take end with a zero byte, so that they need not be
// copied.

// Hold decides how a system call is made. With true, the call keeps the P of the Go scheduler, as a
// computation does: other goroutines wait for the P, and so does a garbage collection that wants to
// start. That is for calls that do not wait for a disk. With false, the scheduler knows of the
// call. If it takes longer than 20 µs, as creating a file does, the scheduler gives the P to
// another thread, which costs more than the call.
type Hold bool

// call makes a system call with up to four arguments. p may be a pointer.
func (h Hold) call(trap, a uintptr, p unsafe.Pointer, c, d uintptr) int32 {
	if h {
		r, _, e := syscall.RawSyscall6(trap, a, uintptr(p), c, d, 0, 0)
		return result(r, e)
	}
	r, _, e := syscall.Syscall6(trap, a, uintptr(p), c, d, 0, 0)
	return result(r, e)
}

// Openat is openat(2).
func (h Hold) Openat(dir int, name []byte, flags int, mode uint32) int32 {
	return h.call(unix.SYS_OPENAT, uintptr(dir), base(name), uintptr(flags), uintptr(mode))
}

// Mkdirat is mkdirat(2).
func (h Hold) Mkdirat(dir int, name []byte, mode uint32) int32 {
	return h.call(unix.SYS_MKDIRAT, uintptr(dir), base(name), uintptr(mode), 0)
}

// Getdents is getdents64(2).
func (h Hold) Getdents(fd int, b []byte) int32 {
	n := h.call(unix.SYS_GETDENTS64, uintptr(fd), base(b), uintptr(len(b)), 0)
	if n > 0 {
		RaceWrite(b[:n])
	}
	return n
}

// Fstat is fstat(2).
func (h Hold) Fstat(fd int, st *unix.Stat_t) int32 {
	return h.call(unix.SYS_FSTAT, uintptr(fd), unsafe.Pointer(st), 0, 0)
}

// Close is close(2).
func (h Hold) Close(fd int) int32 { return h.call(unix.SYS_CLOSE, uintptr(fd), nil, 0, 0) }

// resolveCached is RESOLVE_CACHED of openat2(2).
const resolveCached = 0x20

// openHow is struct open_how of openat2(2).
type openHow struct{ flags, mode, resolve uint64 }

// OpenCached is openat2(2) with RESOLVE_CACHED (Linux 5.12). It opens a file that is in the
// kernel's caches, and cannot wait. It returns -EAGAIN if it would have to wait, -ENOSYS or -EINVAL
// on older kernels, and -EPERM under some seccomp profiles. The flags must not create a file.
func OpenCached(dir int, name []byte, flags int) int32 {
	how := openHow{flags: uint64(flags), resolve: resolveCached}
	r, _, e := syscall.RawSyscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(base(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	return result(r, e)
}

// Futimens is utimensat(2) of an open file.
func Futimens(fd int, times *[2]unix.Timespec) int32 {
	_, _, e := syscall.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(times)), 0, 0, 0)
	return result(0, e)
}
