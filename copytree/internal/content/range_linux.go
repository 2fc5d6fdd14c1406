package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// isRemote reports whether two files are on file systems that may copy on a server, so that no data
// is sent.
func isRemote(dst, src int) bool {
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

// copyFileRange is copyRange by copy_file_range(2). If the call fails, the rest is read and
// written, which shows the file at fault. If it copies nothing, as for files with a wrong size, the
// rest is also read and written.
func (j *job) copyFileRange(from, to int64) (end int64, err error) {
	for from < to {
		if err := j.ctx.Err(); err != nil {
			return from, fault.Source("copy_file_range", err)
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
			return j.readWrite(from, to)
		}
		j.pair.ranges.worked()
		from += int64(n)
		j.wrote(n, from)
	}
	return from, nil
}
