package pebblevfs

import "golang.org/x/sys/unix"

// pastCache reports whether reads and writes of fd go past the page cache.
func pastCache(fd uintptr) bool {
	flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
	return err == nil && flags&unix.O_DIRECT != 0
}

// hasSyncRange reports whether SyncTo may be sync_file_range(2). As in Pebble's own FS, it may on
// ext2, ext3 and ext4, unless the kernel lacks it (WSL 1).
func hasSyncRange(fd uintptr) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(int(fd), &st) != nil || st.Type != unix.EXT4_SUPER_MAGIC {
		return false
	}
	return unix.SyncFileRange(int(fd), 0, 0, 0) != unix.ENOSYS
}
