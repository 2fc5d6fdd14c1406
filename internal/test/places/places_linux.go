package places

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// FileSystems has all file systems to test on, by name.
var FileSystems = map[string]Make{
	"ext4": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, size), "mkfs.ext4 -q -F", "")
	},
	"xfs": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, max(size, 300<<20)), "mkfs.xfs -q -f", "") // xfs needs 300 MiB
	},
	"btrfs": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, max(size, 128<<20)), "mkfs.btrfs -q -f", "") // btrfs needs 109 MiB
	},
	"ext4 on 4 KiB sectors": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, size, "-b", "4096"), "mkfs.ext4 -q -F", "")
	},
	"xfs on 4 KiB sectors": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, max(size, 300<<20), "-b", "4096"), "mkfs.xfs -q -f", "")
	},
	"ext4 with blocks of 1 KiB": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, size), "mkfs.ext4 -q -F -b 1024", "")
	},
	"ext4 without direct I/O": func(t testing.TB, size int64) string {
		return Mount(t, Loop(t, size), "mkfs.ext4 -q -F", "data=journal")
	},
	"overlay": func(t testing.TB, _ int64) string { return Overlay(t) },
}

// Tool runs a command of [toolOf], and returns its output. It skips the test if the command fails.
func Tool(t testing.TB, command string, args ...string) string {
	t.Helper()
	args = append(strings.Fields(command), args...)
	reason, ok := toolOf[args[0]]
	if !ok {
		t.Fatalf("Tool(%q): the command is not in toolOf", args)
	}
	return tool(t, reason, args...)
}

// toolOf has, for each command, what a machine lacks if the command fails.
var toolOf = map[string]skip.Reason{
	"mount":     skip.Mount,
	"mkfs.ext4": skip.Ext4, "mkfs.xfs": skip.XFS, "mkfs.btrfs": skip.Btrfs, "mkfs.vfat": skip.VFAT,
	"xfs_io": skip.XFS, "btrfs": skip.Btrfs,
}

func tool(t testing.TB, reason skip.Reason, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		skip.Forf(t, reason, "%q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Loop makes a loop device of a sparse file. With much memory the file is in memory, because tests
// wait for the device in each fsync.
func Loop(t testing.TB, size int64, options ...string) (device string) {
	t.Helper()
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "loop devices need root")
	}
	image := filepath.Join(imageDir(t), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size)); err != nil {
		t.Fatal(err)
	}
	return LoopOf(t, image, options...)
}

// LoopOf makes a loop device of a file, until the end of the test. If that is impossible, it skips
// the test.
func LoopOf(t testing.TB, image string, options ...string) (device string) {
	t.Helper()
	node, err := Attach(image, options...)
	if err != nil {
		skip.For(t, skip.Loop, err)
	}
	t.Cleanup(func() { node.Close() })
	return node.Name()
}

// Attach makes a loop device of a file, with options of losetup(8), and opens it. The kernel
// detaches the device when it is neither open nor mounted (LO_FLAGS_AUTOCLEAR): after the caller
// has closed node or was killed.
func Attach(image string, options ...string) (node *os.File, err error) {
	args := append(append([]string{"--find", "--show"}, options...), image)
	out, err := exec.Command("losetup", args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("losetup %q: %w: %s", args, err, out)
	}
	// The device is opened for reading: some kernels do not mount a device open for writing.
	node, err = os.Open(strings.TrimSpace(string(out)))
	if err != nil {
		return nil, err
	}
	info, err := unix.IoctlLoopGetStatus64(int(node.Fd()))
	if err == nil {
		info.Flags |= unix.LO_FLAGS_AUTOCLEAR
		err = unix.IoctlLoopSetStatus64(int(node.Fd()), info)
	}
	if err != nil {
		// Nothing else would detach it.
		detached := unix.IoctlSetInt(int(node.Fd()), unix.LOOP_CLR_FD, 0)
		return nil, errors.Join(os.NewSyscallError("ioctl "+node.Name(), err), detached, node.Close())
	}
	return node, nil
}

// An image has some hundred MiB at most, tests write only a part of it, and few exist at a time.
const (
	muchMemory = 8 << 30 // 8 GiB of the machine
	muchRoom   = 2 << 30 // 2 GiB on tmpfs
)

// Disk returns a directory that is not in memory. On some systems t.TempDir is in memory.
func Disk(t testing.TB) (dir string) {
	t.Helper()
	for _, parent := range []string{"", "/var/tmp", "."} {
		dir, err := os.MkdirTemp(parent, "sluice")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if !inMemory(dir) {
			if dir, err = filepath.Abs(dir); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	skip.For(t, skip.Disk, "temporary files, /var/tmp and the package are all in memory")
	return ""
}

func inMemory(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.TMPFS_MAGIC
}

func imageDir(t testing.TB) string {
	t.Helper()
	var st unix.Statfs_t
	err := unix.Statfs("/dev/shm", &st)
	if err != nil || st.Type != unix.TMPFS_MAGIC || st.Bavail < muchRoom/uint64(st.Bsize) || sys.Memory() < muchMemory {
		return t.TempDir()
	}
	return Memory(t)
}

// Mount makes a file system on a device and mounts it.
func Mount(t testing.TB, device, mkfs, options string) (dir string) {
	t.Helper()
	Tool(t, mkfs, device)
	dir = filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// The kernel may lack the file system that mkfs has made.
	tool(t, toolOf[strings.Fields(mkfs)[0]], "mount", "-o", "rw,"+options, device, dir)
	t.Cleanup(func() { Unmount(t, dir) })
	return dir
}

// Unmount unmounts dir. The kernel may use a file for a moment after an operation has completed, so
// Unmount tries several times.
func Unmount(t testing.TB, dir string) {
	t.Helper()
	err := unix.Unmount(dir, 0)
	for end := time.Now().Add(time.Minute); err == unix.EBUSY && time.Now().Before(end); err = unix.Unmount(dir, 0) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Errorf("umount %s: %v", dir, err)
	}
}

// Overlay mounts an overlay file system.
func Overlay(t testing.TB) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "mounting needs root")
	}
	at := t.TempDir()
	for _, name := range []string{"lower", "upper", "work", "mounted"} {
		if err := os.Mkdir(filepath.Join(at, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(at, "mounted")
	options := "lowerdir=" + at + "/lower,upperdir=" + at + "/upper,workdir=" + at + "/work"
	tool(t, skip.Overlay, "mount", "-t", "overlay", "-o", options, "overlay", dir)
	t.Cleanup(func() { Unmount(t, dir) })
	return dir
}
