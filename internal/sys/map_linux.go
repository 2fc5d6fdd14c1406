package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives f n bytes of disk, so that a page of them that is written to
// does not find the disk full (SIGBUS).
func reserve(f *os.File, n int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, n)
	for err == unix.EINTR {
		err = unix.Fallocate(int(f.Fd()), 0, 0, n)
	}
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return zeros(f, n)
	}
	return err
}

// populate makes the pages of shared memory present, and writable without a
// fault, where the kernel can (MADV_POPULATE_WRITE, Linux 5.14).
func populate(b []byte) { _ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) }
