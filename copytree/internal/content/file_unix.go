//go:build unix

package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// truncate is ftruncate(2), repeated after a signal.
func truncate(fd int, size int64) error {
	err := unix.Ftruncate(fd, size)
	for err == unix.EINTR {
		err = unix.Ftruncate(fd, size)
	}
	return err
}

// size returns the length of a file.
func size(fd int) (int64, error) {
	var st unix.Stat_t
	err := sys.Fstat(fd, &st)
	return st.Size, err
}
