package places

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// fsShutdown is EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN. With noLogFlush the file system does
// not even write its log, so only what is on the device already is left.
const (
	fsShutdown = 0x8004587d
	noLogFlush = 2
)

// Shutdown cuts off the file system at dir, ext4 or xfs, as by a power failure. What it has written to
// its device stays. All calls to it fail until it is unmounted.
func Shutdown(t testing.TB, dir string) {
	t.Helper()
	root, err := os.Open(dir)
	if err != nil {
		t.Error(err)
		return
	}
	defer root.Close()
	if err := unix.IoctlSetPointerInt(int(root.Fd()), fsShutdown, noLogFlush); err != nil {
		t.Errorf("cutting off %s: ioctl: %v", dir, err)
	}
}

// MountAs mounts a device that has a file system of this type already. The caller unmounts it.
func MountAs(t testing.TB, device, dir, fstype string) {
	t.Helper()
	if err := unix.Mount(device, dir, fstype, 0, ""); err != nil {
		t.Fatalf("mount -t %s %s: %v", fstype, device, err)
	}
}
