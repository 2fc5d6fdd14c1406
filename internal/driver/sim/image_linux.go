package sim

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newImage returns a file in memory.
func newImage() (*os.File, error) {
	fd, err := unix.MemfdCreate("sluice-sim", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "image"), nil
}

// openImage opens image once more, and returns the descriptor.
func openImage(image *os.File, flag int) (fd int, err error) {
	return unix.Open(fmt.Sprintf("/proc/self/fd/%d", image.Fd()), flag|unix.O_CLOEXEC, 0)
}

func closeImage(image *os.File) { _ = image.Close() }
