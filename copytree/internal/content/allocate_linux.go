package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// maxPreallocated is the largest file whose blocks are allocated beforehand. The
// data of a larger one is on its way to the disk before the copy ends.
const maxPreallocated = 1 << 30 // 1 GiB

// preallocates reports whether writing to files of fd's file system is quicker
// where blocks are allocated. On ext4 it is, as ext4 then need not reserve them, a
// page at a time, under the inode's lock. btrfs would not compress such blocks, and
// xfs allocates as much by itself.
func preallocates(fd int) bool { return sys.FileSystem(fd) == unix.EXT4_SUPER_MAGIC }

// allocate allocates the destination's blocks and leaves it empty: a copy that a
// crash interrupts must not be as long as its source. Where it fails, the writes
// allocate the blocks, or report the error.
func (j *job) allocate() {
	if !j.dst.Lazy || j.src.Size > maxPreallocated || !j.pair.preallocates || !j.pair.allocation.mayWork() || !j.maySplice() {
		return
	}
	switch err := unix.Fallocate(j.dst.FD, unix.FALLOC_FL_KEEP_SIZE, 0, j.src.Size); err {
	case nil:
		j.pair.allocation.worked()
	case unix.EOPNOTSUPP, unix.ENOSYS: // files without extents, of ext2 and ext3
		j.pair.allocation.never()
		return
	default:
		j.pair.allocation.refused()
	}
	j.allocated = j.src.Size // an error may have left a part of it
}

// trim frees the blocks behind the end of a copy that became shorter than its
// source was, or has failed.
func (j *job) trim() {
	if j.allocated > j.length {
		_ = truncate(j.dst.FD, j.length)
	}
}
