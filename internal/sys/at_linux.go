//go:build amd64 || arm64

package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The names that these functions take end with a zero byte, so that they need not be
// copied.

// Openat is openat(2).
func Openat(dir int, name []byte, flags int, mode uint32) int32 {
	r, _, e := syscall.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(base(name)), uintptr(flags), uintptr(mode), 0, 0)
	return result(r, e)
}

// Mkdirat is mkdirat(2).
func Mkdirat(dir int, name []byte, mode uint32) int32 {
	_, _, e := syscall.Syscall(unix.SYS_MKDIRAT, uintptr(dir), uintptr(base(name)), uintptr(mode))
	return result(0, e)
}

// Getdents is getdents64(2).
func Getdents(fd int, b []byte) int32 {
	r, _, e := syscall.Syscall(unix.SYS_GETDENTS64, uintptr(fd), uintptr(base(b)), uintptr(len(b)))
	n := result(r, e)
	if n > 0 {
		RaceWrite(b[:n])
	}
	return n
}

// resolveCached is RESOLVE_CACHED of openat2(2).
const resolveCached = 0x20

// openHow is struct open_how of openat2(2).
type openHow struct{ flags, mode, resolve uint64 }

// OpenCached is openat2(2) with RESOLVE_CACHED (Linux 5.12). It opens what is in the
// kernel's caches, without waiting. It returns -EAGAIN if it would have to wait, -ENOSYS
// or -EINVAL on older kernels, and -EPERM under some seccomp profiles. The flags must not
// create a file.
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
