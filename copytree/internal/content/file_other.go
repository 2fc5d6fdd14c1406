//go:build !linux

package content

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// uncache puts fd's data on disk. The page cache keeps it.
func uncache(fd int) error {
	if n := sys.Fdatasync(fd); n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}
