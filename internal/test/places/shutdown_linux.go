package places

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fsShutdown is EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN. With noLogFlush the file system does not
// even write its log: only data that is already on the device is left.
const (
	fsShutdown = 0x8004587d
	noLogFlush = 2
)

// Shutdown cuts off the file system at dir, ext4 or xfs, as a power failure does. Data on its
// device stays. All calls to it fail until it is unmounted.
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

// UnmountAll unmounts dir, and waits until the device's file system is gone. A process with its own
// mount namespace may have a copy of the mount. The file system then lives until that process ends,
// and the next mount would find it in its old state.
func UnmountAll(t testing.TB, device, dir string) {
	t.Helper()
	Unmount(t, dir)
	for {
		// EBUSY while mounted.
		fd, err := unix.Open(device, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0)
		if err == nil {
			unix.Close(fd)
			return
		}
		if err != unix.EBUSY {
			t.Errorf("open %s: %v", device, err)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// MountAs mounts a device that already has a file system of this type. The caller unmounts it.
func MountAs(t testing.TB, device, dir, fstype string) {
	t.Helper()
	if err := unix.Mount(device, dir, fstype, 0, ""); err != nil {
		t.Fatalf("mount -t %s %s: %v", fstype, device, err)
	}
}
