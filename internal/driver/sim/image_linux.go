package sim

import (
	"fmt"
	"os"
	"strconv"

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

// openFiles returns how many descriptors of each file this process has.
func openFiles() map[inodeKey]int {
	open := map[inodeKey]int{}
	list, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range list {
		if fd, err := strconv.Atoi(entry.Name()); err == nil {
			if k, ok := keyOf(fd); ok {
				open[k]++
			}
		}
	}
	return open
}

func closeImage(image *os.File) { _ = image.Close() }
