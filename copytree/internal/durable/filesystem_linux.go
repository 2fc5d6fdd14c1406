package durable

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// HasFileSystems reports whether a whole file system can be synced.
const HasFileSystems = true

// reopen returns a new file description on the file system of the directory fd, for syncfs(2). It
// is of the directory, or of a new file without a name if the directory cannot be read: syncfs
// refuses O_PATH. The error is bare.
func reopen(fd int) (int, error) {
	own, err := open(fd, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != unix.EACCES {
		return own, err
	}
	if own, unnamedErr := open(fd, unix.O_WRONLY|unix.O_TMPFILE); unnamedErr == nil {
		return own, nil
	}
	return -1, err
}

// open opens the directory fd, or makes a file in it with O_TMPFILE.
func open(fd, flags int) (own int, err error) {
	err = sys.IgnoringEINTR(func() (err error) { // FUSE and NFS let signals interrupt it
		own, err = unix.Openat(fd, ".", flags|unix.O_CLOEXEC, 0o600)
		return err
	})
	return own, err
}

// syncFileSystem is syncfs(2). The error is bare.
func syncFileSystem(fd int) error { return unix.Syncfs(fd) }
