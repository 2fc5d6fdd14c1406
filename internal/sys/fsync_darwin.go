package sys

import "golang.org/x/sys/unix"

// Fsync is fcntl(F_FULLFSYNC), as in package os: fsync(2) leaves the data in
// the drive's cache.
func Fsync(fd int) int32 {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	return result(0, err)
}

// Fdatasync is Fsync.
func Fdatasync(fd int) int32 { return Fsync(fd) }
