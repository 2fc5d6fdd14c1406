package durable

import "golang.org/x/sys/unix"

// HasFileSystems reports whether a file system can be synced as a whole.
const HasFileSystems = true

// reopen returns a new file description of the directory fd. The error is bare.
func reopen(fd int) (own int, err error) {
	for {
		own, err = unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != unix.EINTR { // as on FUSE and NFS
			return own, err
		}
	}
}

// syncFileSystem is syncfs(2). The error is bare.
func syncFileSystem(fd int) error { return unix.Syncfs(fd) }
