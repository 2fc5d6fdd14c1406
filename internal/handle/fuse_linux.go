package handle

import "golang.org/x/sys/unix"

// inUserSpace reports whether fd is a file of FUSE.
func inUserSpace(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.FUSE_SUPER_MAGIC
}
