//go:build !linux

package content

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// forget puts what was written to fd on disk.
func forget(fd int) error {
	if n := sys.Fdatasync(fd); n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}
