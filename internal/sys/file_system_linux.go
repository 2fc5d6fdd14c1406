package sys

import "golang.org/x/sys/unix"

// FileSystem returns the type of fd's file system, as unix.EXT4_SUPER_MAGIC (statfs(2)). It returns
// 0 if that cannot be asked for.
func FileSystem(fd int) uint32 {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return 0
	}
	return uint32(fs.Type)
}
