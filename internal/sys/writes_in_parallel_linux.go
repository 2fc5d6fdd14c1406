package sys

import "golang.org/x/sys/unix"

// WritesInParallel reports whether io_uring's workers make several direct writes to the file fd at
// a time. They do if the file system asks for it: ext4 and xfs, since Linux 6.4
// (FMODE_DIO_PARALLEL_WRITE).
func WritesInParallel(fd int) bool {
	fs := deviceFileSystem(fd)
	return fs == unix.EXT4_SUPER_MAGIC || fs == unix.XFS_SUPER_MAGIC
}
