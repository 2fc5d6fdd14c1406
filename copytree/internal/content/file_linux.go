package content

import (
	"golang.org/x/sys/unix"
)

// uncache writes fd's data to disk, and removes it from the page cache.
func uncache(fd int) error {
	err := unix.Fdatasync(fd)
	for err == unix.EINTR {
		err = unix.Fdatasync(fd)
	}
	if err != nil {
		return err
	}
	// Mapped pages stay, and so does everything on file systems in memory.
	_ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
	return nil
}
