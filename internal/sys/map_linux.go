package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapGrows is true if a file may become longer after it was mapped.
const MapGrows = true

// reserve allocates n bytes of disk space for f. Otherwise a write to a page of the mapping
// may find the disk full, and the process gets a SIGBUS.
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

// populate makes the pages of a shared mapping present and writable, so that writes to them
// do not fault. It does nothing before Linux 5.14 (MADV_POPULATE_WRITE).
func populate(b []byte) { _ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) }
