package floor

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// entry is an entry of a directory, struct linux_dirent64 of getdents64(2).
type entry struct {
	length int
	kind   byte
	name   *byte // ends with a NUL
}

// Offsets in linux_dirent64.
const (
	direntLength = 16
	direntKind   = 18
	direntName   = 19
)

func entryOf(b []byte) entry {
	return entry{
		length: int(binary.NativeEndian.Uint16(b[direntLength:])),
		kind:   b[direntKind],
		name:   &b[direntName],
	}
}

func (e entry) text() string { return unix.BytePtrToString(e.name) }

// dots reports whether e is "." or "..".
func (e entry) dots() bool {
	t := e.text()
	return t == "." || t == ".."
}

// cstring returns a path with a NUL at its end. The path contains none, because it consists of
// names from directories.
func cstring(path string) *byte {
	b := make([]byte, len(path)+1)
	copy(b, path)
	return &b[0]
}

// The system calls are raw: a thread that waits in one keeps its P.

func openat(dir int, name *byte, flags, mode int) (int, error) {
	fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(name)),
		uintptr(flags|unix.O_CLOEXEC|unix.O_LARGEFILE), uintptr(mode), 0, 0)
	return int(fd), fault(errno)
}

func mkdirat(dir int, name *byte, mode int) error {
	_, _, errno := unix.RawSyscall(unix.SYS_MKDIRAT, uintptr(dir), uintptr(unsafe.Pointer(name)), uintptr(mode))
	return fault(errno)
}

func getdents(fd int, b []byte) (int, error) { return transfer(unix.SYS_GETDENTS64, fd, b) }

func read(fd int, b []byte) (int, error) { return transfer(unix.SYS_READ, fd, b) }

func write(fd int, b []byte) (int, error) { return transfer(unix.SYS_WRITE, fd, b) }

func transfer(call uintptr, fd int, b []byte) (int, error) {
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), fault(errno)
}

func fsync(fd int) error {
	_, _, errno := unix.RawSyscall(unix.SYS_FSYNC, uintptr(fd), 0, 0)
	return fault(errno)
}

func closeFD(fd int) { _, _, _ = unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

func fault(errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
