package image

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errBusy is what unmount returns while somebody uses the file system.
var errBusy = unix.EBUSY

func privileged() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can make and mount a file system")
	}
	return nil
}

func mount(device, point, kind string) error { return unix.Mount(device, point, kind, 0, "") }

func unmount(point string) error { return unix.Unmount(point, 0) }
