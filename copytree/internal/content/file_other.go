//go:build !linux

package content

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// uncache writes fd's data to disk. The page cache keeps it.
func uncache(fd int) error {
	if n := sys.Fdatasync(fd); n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}
