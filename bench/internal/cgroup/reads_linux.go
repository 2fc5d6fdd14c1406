package cgroup

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// io limits the operations of a device.
var io = controller{
	prefix: "sluice-bench-",
	v1:     "blkio", file1: "blkio.throttle.read_iops_device",
	v2: "io", file2: "io.max",
}

// readLimit returns the text that limits the reads a second of the device of that number, and the
// text that removes the limit.
func (h hierarchy) readLimit(device string, iops int) (text, none string) {
	if h.v2 {
		return fmt.Sprintf("%s riops=%d", device, iops), device + " riops=max"
	}
	return fmt.Sprintf("%s %d", device, iops), device + " 0"
}

// Reads makes a group for whose processes the device performs at most iops reads a second. It needs
// root. It also removes the groups of killed processes. The caller must close the Group, even in a
// panic.
func Reads(device string, iops int) (*Group, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	return reads(device, iops, string(mounts), os.Mkdir)
}

// reads is Reads with given mounts, and a function that makes a group.
func reads(device string, iops int, mounts string, mkdir func(string, os.FileMode) error) (*Group, error) {
	var st unix.Stat_t
	if err := unix.Stat(device, &st); err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return nil, fmt.Errorf("cannot throttle %s: it is no block device", device)
	}
	in, err := io.find(mounts)
	if err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	text, none := in.readLimit(fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)), iops)
	return newGroup(in, text, none, mkdir)
}
