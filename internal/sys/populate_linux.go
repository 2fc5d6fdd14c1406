package sys

import (
	"errors"

	"golang.org/x/sys/unix"
)

// PopulateRead maps the pages of b, so that a touch of them is no fault (MADV_POPULATE_READ). If a
// touch would be a SIGBUS it returns an error: EFAULT, ENOMEM or EHWPOISON. It waits for pages that
// are not in memory. Before Linux 5.14 the error is errors.ErrUnsupported.
func PopulateRead(b []byte) error {
	if err := unix.Madvise(b, unix.MADV_POPULATE_READ); err != unix.EINVAL {
		return err
	}
	return errors.ErrUnsupported
}
