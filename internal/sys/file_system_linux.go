package sys

import "golang.org/x/sys/unix"

// FileSystem returns the type of fd's file system, such as unix.EXT4_SUPER_MAGIC (statfs(2)), or 0
// if statfs fails. It waits for the server of a network file system, or of FUSE.
func FileSystem(fd int) uint32 {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return 0
	}
	return uint32(fs.Type)
}

// deviceFileSystem is FileSystem for file systems that are on a block device, and 0 for others. So
// it asks no server, except for a file system in user space that has a block device (fuseblk).
func deviceFileSystem(fd int) uint32 {
	if number, ok := Device(fd); !ok || unix.Major(number) == 0 {
		return 0
	}
	return FileSystem(fd)
}
