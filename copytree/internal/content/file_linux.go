package content

import (
	"golang.org/x/sys/unix"
)

// forget puts what was written to fd on disk, and out of the page cache.
func forget(fd int) error {
	err := unix.Fdatasync(fd)
	for err == unix.EINTR {
		err = unix.Fdatasync(fd)
	}
	if err != nil {
		return err
	}
	// Pages that somebody has mapped stay, and file systems in memory keep all.
	_ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
	return nil
}
