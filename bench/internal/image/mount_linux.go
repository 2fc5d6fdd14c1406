package image

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errBusy is the error of unmount while a process uses the file system.
var errBusy = unix.EBUSY

func privileged() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can make and mount a file system")
	}
	return nil
}

func mount(device, dir, kind string) error { return unix.Mount(device, dir, kind, 0, "") }

func unmount(dir string) error { return unix.Unmount(dir, 0) }
