package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// maxPreallocated is the largest file whose blocks are allocated before the copy. The kernel writes
// back a larger file before its copy ends.
const maxPreallocated = 1 << 30 // 1 GiB

// preallocates reports whether writes are faster into allocated blocks on fd's file system. On ext4
// they are: ext4 need not reserve blocks page by page under the inode's lock. btrfs would not
// compress such blocks. xfs allocates large extents anyway.
func preallocates(fd int) bool { return sys.FileSystem(fd) == unix.EXT4_SUPER_MAGIC }

// allocate allocates the destination's blocks without changing its length: after a crash the copy
// must not be as long as its source. If it fails, the writes allocate the blocks or report the
// error.
func (j *job) allocate() {
	if !j.dst.Lazy || j.src.Size > maxPreallocated || !j.pair.preallocates || !j.pair.allocation.mayWork() || !j.maySplice() {
		return
	}
	switch err := unix.Fallocate(j.dst.FD, unix.FALLOC_FL_KEEP_SIZE, 0, j.src.Size); err {
	case nil:
		j.pair.allocation.worked()
	case unix.EOPNOTSUPP, unix.ENOSYS: // files without extents, on ext2 and ext3
		j.pair.allocation.never()
		return
	default:
		j.pair.allocation.refused()
	}
	j.allocated = j.src.Size // also after an error, which may leave some blocks
}

// trim frees the blocks beyond the end of a copy that failed, or whose source became shorter.
func (j *job) trim() {
	if j.allocated > j.length {
		_ = truncate(j.dst.FD, j.length)
	}
}
