//go:build unix && (!linux || (!amd64 && !arm64))

package at

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Mknod makes a FIFO. mode has the type, and the permissions before the umask. For sockets and
// devices the error is ENOTSUP: their numbers depend on the system.
func (k *Kernel) Mknod(dir int, name Name, mode uint32, _ uint64) error {
	d, err := k.begin("mknod", dir)
	if err != nil {
		return err
	}
	if mode&unix.S_IFMT != unix.S_IFIFO {
		return unix.ENOTSUP
	}
	return unix.Mkfifo(filepath.Join(d.path, name.String()), mode&ModePerm)
}
