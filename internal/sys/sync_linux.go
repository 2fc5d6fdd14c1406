//go:build amd64 || arm64

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// StartWriteback is sync_file_range(2) with only SYNC_FILE_RANGE_WRITE: it starts the write-back of
// the dirty pages of the n bytes at off; n 0 means up to the end of the file.
func StartWriteback(fd int, off, n int64) int32 {
	_, _, e := syscall.Syscall6(unix.SYS_SYNC_FILE_RANGE, uintptr(fd), uintptr(off), uintptr(n), unix.SYNC_FILE_RANGE_WRITE, 0, 0)
	return result(0, e)
}

// KeptByInode reports whether fd's file system keeps unwritten data by inode, so that an fsync of
// one descriptor makes the data of all of them durable. Network file systems and file systems in
// user space may keep it by open file description instead.
func KeptByInode(fd int) bool {
	switch FileSystem(fd) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}
