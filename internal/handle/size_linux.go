package handle

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// Size returns the size of a regular file or block device.
func Size(f *os.File) (int64, error) {
	fd := int(f.Fd())
	var st unix.Stat_t
	if err := sys.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return sys.DeviceSize(fd) // lseek(2) knows it, too, but moves the file's position
	}
	return st.Size, nil
}
