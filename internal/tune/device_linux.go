package tune

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sector is the unit of sizes in sysfs, in bytes.
const sector = 512

// DeviceOf returns the disk of f; if f is a block device, it returns f's own disk. It returns an
// error if the file system is in memory, on the network, or on several disks.
func DeviceOf(f *os.File) (Device, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return Device{}, err
	}
	var st unix.Stat_t
	failed := conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) })
	if failed != nil || err != nil {
		return Device{}, fmt.Errorf("fstat: %w", errors.Join(failed, err))
	}
	dev := uint64(st.Dev) //nolint:unconvert // 32 bits on mips
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		dev = uint64(st.Rdev) //nolint:unconvert // likewise
	}
	return DeviceAt(dev)
}

// DeviceAt returns the disk with that device number, as in stat(2). For a partition's number it
// returns the disk that has the partition.
func DeviceAt(number uint64) (Device, error) {
	return deviceAt(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number)))
}

// deviceAt returns the disk to which link leads in sysfs. If link leads to a partition, deviceAt
// returns the partition's disk.
func deviceAt(link string) (Device, error) {
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return Device{}, fmt.Errorf("no disk of its own: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, "size"))
	if err != nil {
		return Device{}, err
	}
	sectors, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return Device{}, err
	}
	return Device{filepath.Base(dir), sectors * sector}, nil
}
