package handle

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size returns the size of a regular file or block device.
func Size(f *os.File) (int64, error) {
	fd := int(f.Fd())
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		// Nobody uses the position that this sets.
		return unix.Seek(fd, 0, unix.SEEK_END)
	}
	return st.Size, nil
}
