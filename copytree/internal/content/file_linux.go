package content

import (
	"golang.org/x/sys/unix"
)

// uncache puts fd's data on disk and removes it from the page cache.
func uncache(fd int) error {
	err := unix.Fdatasync(fd)
	for err == unix.EINTR {
		err = unix.Fdatasync(fd)
	}
	if err != nil {
		return err
	}
	// Mapped pages stay, and file systems in memory keep everything.
	_ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
	return nil
}
