package places

import (
	"os"
	"testing"
	"time"

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

// UnmountAll unmounts dir and waits until the file system of the device is gone. A process with mounts of
// its own may have got a copy of this one when it began, and the file system lives on until that process
// ends: the next mount would find it as it was.
func UnmountAll(t testing.TB, device, dir string) {
	t.Helper()
	Unmount(t, dir)
	for {
		fd, err := unix.Open(device, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0) // EBUSY while it is mounted
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

// MountAs mounts a device that has a file system of this type already. The caller unmounts it.
func MountAs(t testing.TB, device, dir, fstype string) {
	t.Helper()
	if err := unix.Mount(device, dir, fstype, 0, ""); err != nil {
		t.Fatalf("mount -t %s %s: %v", fstype, device, err)
	}
}
