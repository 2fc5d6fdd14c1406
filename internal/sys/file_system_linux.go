package sys

import "golang.org/x/sys/unix"

// FileSystem returns the type of fd's file system, such as unix.EXT4_SUPER_MAGIC (statfs(2)), or 0
// if statfs fails.
func FileSystem(fd int) uint32 {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return 0
	}
	return uint32(fs.Type)
}
