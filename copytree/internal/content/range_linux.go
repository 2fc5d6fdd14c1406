package content

import (
	"golang.org/x/sys/unix"
)

// remote tells whether two files are on file systems that may copy without sending
// the data here and back.
func remote(dst, src int) bool {
	var to, from unix.Statfs_t
	if unix.Fstatfs(dst, &to) != nil || unix.Fstatfs(src, &from) != nil || to.Type != from.Type {
		return false
	}
	switch int64(to.Type) { //nolint:unconvert // it has 32 bits elsewhere
	case unix.NFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC:
		return true
	}
	return false
}

// copyRange is span by copy_file_range(2). What that fails to do is read and
// written, also to find out which of the two files is to blame; and what it does
// not see, in files that do not tell their size.
func (j *job) copyRange(from, to int64) (end int64, err error) {
	for from < to {
		if err := j.ctx.Err(); err != nil {
			return from, &Error{"copy_file_range", true, err}
		}
		in, out := from, from
		n, err := unix.CopyFileRange(j.src.FD, &in, j.dst.FD, &out, int(to-from), 0)
		switch err {
		case nil:
		case unix.EINTR:
			continue
		case unix.EXDEV, unix.EOPNOTSUPP, unix.ENOSYS:
			j.pair.ranges.never()
		default:
			j.pair.ranges.refused()
		}
		if n <= 0 {
			return j.spanHere(from, to)
		}
		j.pair.ranges.granted()
		from += int64(n)
		j.wrote(n, from)
	}
	return from, nil
}
