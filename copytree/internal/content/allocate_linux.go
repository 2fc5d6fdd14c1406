package content

import "golang.org/x/sys/unix"

// allocateMost is the largest file whose blocks are allocated beforehand. What is
// larger is on its way to the disk before it is copied.
const allocateMost = 1 << 30 // 1 GiB

// allocates tells whether writing to files of fd's file system is quicker where
// blocks are. ext4 then reserves none, a page at a time, under the inode's lock;
// btrfs would not compress them, and xfs allocates that much by itself.
func allocates(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.EXT4_SUPER_MAGIC
}

// allocate gives the destination its blocks, and leaves it empty: a copy that
// the system's end cuts short must not be as long as its source. What it fails
// to do is done, or told, by who writes.
func (j *job) allocate() {
	if !j.dst.Lazy || j.src.Size > allocateMost || !j.pair.allocates || !j.pair.allocation.worth() || !j.splices() {
		return
	}
	switch err := unix.Fallocate(j.dst.FD, unix.FALLOC_FL_KEEP_SIZE, 0, j.src.Size); err {
	case nil:
		j.pair.allocation.granted()
	case unix.EOPNOTSUPP, unix.ENOSYS: // files without extents, of ext2 and ext3
		j.pair.allocation.never()
		return
	default:
		j.pair.allocation.refused()
	}
	j.allocated = j.src.Size // an error may have left a part of it
}

// release gives back the blocks behind the end of a copy that became shorter than
// its source was said to be, or was cut short.
func (j *job) release() {
	if j.allocated > j.high {
		_ = truncate(j.dst.FD, j.high)
	}
}
