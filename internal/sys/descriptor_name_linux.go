package sys

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// DescriptorName returns the name of an open file, as the kernel knows it now. It is "" if that is
// not known, as without /proc.
func DescriptorName(fd int) string {
	name := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), name)
	if err != nil {
		return ""
	}
	return string(name[:n])
}
