package gnucp

import (
	"os"

	"golang.org/x/sys/unix"
)

// longestName returns the number of bytes that a name in the directory may have.
func longestName(dir *os.File) int {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(dir.Fd()), &s); err != nil || s.Namelen <= 0 {
		return unix.NAME_MAX
	}
	return int(s.Namelen)
}
