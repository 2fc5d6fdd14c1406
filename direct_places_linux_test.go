package sluice_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fileSystems make a new file system of about so many bytes each, which is
// gone at the end of the test, or skip it.
var fileSystems = map[string]func(t *testing.T, size int64) (dir string){
	"ext4": func(t *testing.T, size int64) string {
		return mount(t, loop(t, size), "mkfs.ext4 -q -F", "")
	},
	"xfs": func(t *testing.T, size int64) string {
		return mount(t, loop(t, max(size, 300<<20)), "mkfs.xfs -q -f", "") // 300 MiB is its least
	},
	"btrfs": func(t *testing.T, size int64) string {
		return mount(t, loop(t, max(size, 128<<20)), "mkfs.btrfs -q -f", "") // 109 MiB is its least
	},
	"ext4 on 4 KiB sectors": func(t *testing.T, size int64) string {
		return mount(t, loop(t, size, "-b", "4096"), "mkfs.ext4 -q -F", "")
	},
	"xfs on 4 KiB sectors": func(t *testing.T, size int64) string {
		return mount(t, loop(t, max(size, 300<<20), "-b", "4096"), "mkfs.xfs -q -f", "")
	},
	"ext4 with blocks of 1 KiB": func(t *testing.T, size int64) string {
		return mount(t, loop(t, size), "mkfs.ext4 -q -F -b 1024", "")
	},
	"ext4 without direct I/O": func(t *testing.T, size int64) string {
		return mount(t, loop(t, size), "mkfs.ext4 -q -F", "data=journal")
	},
	"overlay": func(t *testing.T, _ int64) string { return overlay(t) },
}

// tool runs a command, or skips the test if that fails.
func tool(t *testing.T, command string, args ...string) string {
	t.Helper()
	args = append(strings.Fields(command), args...)
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Skipf("%q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// loop makes a loop device of a sparse file.
func loop(t *testing.T, size int64, options ...string) (device string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("loop devices need root")
	}
	image := filepath.Join(t.TempDir(), "image")
	write(t, image, "")
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	device = tool(t, "losetup --find --show", append(options, image)...)
	t.Cleanup(func() { tool(t, "losetup --detach", device) })
	return device
}

// mount makes a file system on a device and mounts it.
func mount(t *testing.T, device, mkfs, options string) (dir string) {
	t.Helper()
	tool(t, mkfs, device)
	dir = filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tool(t, "mount -o rw,"+options, device, dir)
	t.Cleanup(func() { tool(t, "umount", dir) })
	return dir
}

// overlay mounts an overlay file system.
func overlay(t *testing.T) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting needs root")
	}
	at := t.TempDir()
	for _, name := range []string{"lower", "upper", "work", "mounted"} {
		if err := os.Mkdir(filepath.Join(at, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(at, "mounted")
	options := "lowerdir=" + at + "/lower,upperdir=" + at + "/upper,workdir=" + at + "/work"
	tool(t, "mount -t overlay -o", options, "overlay", dir)
	t.Cleanup(func() { tool(t, "umount", dir) })
	return dir
}
