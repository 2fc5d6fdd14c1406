package directio

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// inodeOf returns the inode of an open file.
func inodeOf(f *os.File) (*inode, error) {
	var st unix.Stat_t
	if err := sys.Fstat(int(f.Fd()), &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return inodeKey{dev: st.Rdev, device: true}.inode(), nil
	}
	return inodeKey{dev: st.Dev, ino: st.Ino}.inode(), nil
}
