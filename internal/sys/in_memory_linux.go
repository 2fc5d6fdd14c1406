package sys

import "golang.org/x/sys/unix"

// InMemory reports whether fd is a regular file on a file system that keeps all its files in
// memory, such as tmpfs. It asks whether the file can be sealed (fcntl(2)), and not statfs(2): the
// server of a network file system, or of FUSE, may not answer that.
func InMemory(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	return err == nil
}
