package sys

import "golang.org/x/sys/unix"

// InMemory reports whether the file is on a file system that has no disk.
func InMemory(fd int) bool {
	switch FileSystem(fd) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.HUGETLBFS_MAGIC, unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC:
		return true
	}
	return false
}
