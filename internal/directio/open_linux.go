package directio

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// Reopen opens the file of f again, with O_DIRECT. If that is not possible, the error is a Refused.
func Reopen(f *os.File, flag int) (*os.File, Geometry, error) {
	g, err := geometryOf(f)
	if err != nil {
		return nil, g, err
	}
	// The first open has created or truncated the file.
	flag &= unix.O_ACCMODE | unix.O_SYNC | unix.O_DSYNC | unix.O_NOATIME
	flag |= unix.O_DIRECT | unix.O_CLOEXEC | unix.O_LARGEFILE
	fd := -1
	err = sys.IgnoringEINTR(func() (err error) {
		// By descriptor: the name may be another file's by now.
		fd, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), flag, 0)
		return err
	})
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), f.Name()), g, nil
	case sys.IsErrno(err, unix.EMFILE, unix.ENFILE, unix.ENOMEM):
		return nil, g, &os.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return nil, g, Refused{fmt.Sprintf("O_DIRECT is refused: %v", err)}
}

// openCached opens the file of f, which has O_DIRECT, for reading without it.
func openCached(f *os.File) (*os.File, error) {
	flag, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return nil, err
	}
	flag = flag&unix.O_NOATIME | unix.O_RDONLY | unix.O_CLOEXEC | unix.O_LARGEFILE
	fd := -1
	err = sys.IgnoringEINTR(func() (err error) {
		fd, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), flag, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// geometryOf returns the alignment of direct I/O on f: the answer of statx(2) (Linux 6.1), or else
// the sector of the device.
func geometryOf(f *os.File) (Geometry, error) {
	var st unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_DIOALIGN, &st)
	if err != nil {
		return GeometryOfDevice(f)
	}
	if st.Mask&unix.STATX_DIOALIGN != 0 {
		if st.Dio_mem_align == 0 || st.Dio_offset_align == 0 {
			return Geometry{}, Refused{"the file system has no direct I/O for this file"}
		}
		return newGeometry(int(st.Dio_offset_align), int(st.Dio_mem_align), "statx")
	}
	return GeometryOfDevice(f)
}

// GeometryOfDevice returns the logical sector of f's device. If the kernel knows no device (btrfs,
// tmpfs, FUSE) it returns 4 KiB, which is enough for all of them.
func GeometryOfDevice(f *os.File) (Geometry, error) {
	var st unix.Stat_t
	if err := sys.Fstat(int(f.Fd()), &st); err != nil {
		return Geometry{}, err
	}
	dev := st.Dev
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		dev = st.Rdev
	}
	if n, ok := logicalSector(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev))); ok {
		return newGeometry(n, n, "the device's sector")
	}
	return newGeometry(4<<10, 4<<10, "assumed, as the system reports none")
}

// logicalSector reads the size from the sysfs directory of a disk, or of a partition.
func logicalSector(dir string) (int, bool) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return 0, false
	}
	for _, disk := range []string{dir, filepath.Dir(dir)} {
		b, err := os.ReadFile(filepath.Join(disk, "queue", "logical_block_size"))
		if err != nil {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		return n, err == nil
	}
	return 0, false
}
