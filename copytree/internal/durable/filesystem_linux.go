package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// HasFileSystems: a file system can be synced as a whole.
const HasFileSystems = true

// reopen returns a new file description of the directory fd.
func reopen(fd int) (int, error) {
	own, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return own, os.NewSyscallError("openat", err)
}

// syncFileSystem is syncfs(2).
func syncFileSystem(fd int) error { return os.NewSyscallError("syncfs", unix.Syncfs(fd)) }
