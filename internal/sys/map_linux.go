package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapGrows says that a file may become longer than it was when it was mapped.
const MapGrows = true

// reserve gives f n bytes of disk, so that a page of them that is written to
// does not find the disk full (SIGBUS).
func reserve(f *os.File, off, n int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, off, n)
	for err == unix.EINTR {
		err = unix.Fallocate(int(f.Fd()), 0, off, n)
	}
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return zeros(f, off, n)
	}
	return err
}

// populate makes the pages of shared memory present, and writable without a
// fault, where the kernel can (MADV_POPULATE_WRITE, Linux 5.14).
func populate(b []byte) { _ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) }
