//go:build unix && !linux

package sim

import (
	"os"

	"golang.org/x/sys/unix"
)

// newImage returns a temporary file.
func newImage() (*os.File, error) { return os.CreateTemp("", "sluice-sim-") }

// openImage opens image once more, and returns the descriptor.
func openImage(image *os.File, flag int) (fd int, err error) {
	return unix.Open(image.Name(), flag|unix.O_CLOEXEC, 0)
}

// openFiles returns nil: the descriptors of the process are not known here. So removed files are
// kept until CloseImages.
func openFiles() map[inodeKey]int { return nil }

func closeImage(image *os.File) {
	_ = image.Close()
	_ = os.Remove(image.Name())
}
