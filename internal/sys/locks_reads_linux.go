package sys

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// LocksReads reports whether reads through the page cache wait for a write(2) to the same file: on
// xfs both lock the inode (fs/xfs/xfs_file.c).
func LocksReads(fd int) bool { return deviceFileSystem(fd) == unix.XFS_SUPER_MAGIC }

// ReadWouldWait reports whether a read through the page cache would now wait for a write(2). It
// tries a read far beyond the end of any file: only the lock can make that read wait.
func ReadWouldWait(fd int) bool {
	var b [1]byte
	return ReadCached(fd, b[:], math.MaxInt64-1) == -int32(syscall.EAGAIN)
}
