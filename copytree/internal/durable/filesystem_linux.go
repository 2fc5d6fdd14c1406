package durable

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// HasFileSystems reports whether a whole file system can be synced.
const HasFileSystems = true

// reopen returns a new file description of the directory fd. The error is bare.
func reopen(fd int) (own int, err error) {
	err = sys.IgnoringEINTR(func() (err error) { // FUSE and NFS let signals interrupt it
		own, err = unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	return own, err
}

// syncFileSystem is syncfs(2). The error is bare.
func syncFileSystem(fd int) error { return unix.Syncfs(fd) }
