package sys

import "golang.org/x/sys/unix"

// InMemory reports whether fd is a regular file on a file system that keeps all its files in
// memory. A device file on a file system in memory, such as in /dev, is not in memory.
func InMemory(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	switch FileSystem(fd) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.HUGETLBFS_MAGIC:
		return true
	}
	return false
}
