//go:build amd64 || arm64

package sys

import "golang.org/x/sys/unix"

// Device returns the number of the device that a file is on, or, of a block
// device, its own.
func Device(fd int) (number uint64, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return 0, false
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return st.Rdev, true
	}
	return st.Dev, true
}
