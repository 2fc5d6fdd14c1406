package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

var probes = func() map[skip.Reason]func() error {
	all := map[skip.Reason]func() error{
		skip.Uring:   uring,
		skip.AIO:     aio,
		skip.Kernel:  kernel,
		skip.Config:  config,
		skip.Seccomp: seccomp,

		skip.Root:   root,
		skip.Mount:  inDir(mountMemory),
		skip.Limits: inDir(limits),
		skip.Cgroup: inDir(cgroup),
		skip.KMsg:   kmsg,
		skip.Loop:   inDir(loop),

		skip.Ext4:    inDir(fileSystem("ext4", "-q", "-F")),
		skip.XFS:     inDir(fileSystem("xfs", "-q", "-f")),
		skip.Btrfs:   inDir(fileSystem("btrfs", "-q", "-f")),
		skip.VFAT:    inDir(fileSystem("vfat")),
		skip.Overlay: inDir(overlay),
		skip.Tmpfs:   tmpfs,
		skip.FUSE:    fuse,

		skip.Disk:    inDir(disk),
		skip.Device:  inDir(device),
		skip.Direct:  inDir(direct),
		skip.NoWait:  inDir(noWait),
		skip.Xattr:   inDir(attribute("user.sluice", "value")),
		skip.ACL:     inDir(attribute("system.posix_acl_access", acl)),
		skip.Special: inDir(special),

		skip.Proc: opens(os.O_RDONLY, "/proc/version", "/proc/self/fd", "/proc/self/maps", "/proc/self/smaps"),
		skip.Dev:  opens(os.O_RDWR, "/dev/full", "/dev/ptmx"),
	}
	maps.Copy(all, portable)
	return all
}()

// inDir gives a probe a new directory among the tests' temporary files.
func inDir(probe func(dir string) error) func() error {
	return func() error {
		dir, err := os.MkdirTemp("", "sluice")
		if err != nil {
			return err
		}
		return errors.Join(probe(dir), os.RemoveAll(dir))
	}
}

func opens(flag int, names ...string) func() error {
	return func() error {
		for _, name := range names {
			f, err := os.OpenFile(name, flag, 0)
			if err != nil {
				return err
			}
			f.Close()
		}
		return nil
	}
}

// uring makes a ring. Package uring needs Linux 5.11 (IORING_FEAT_EXT_ARG).
func uring() error {
	const extArg = 1 << 8
	var params [30]uint32 // struct io_uring_params; its sixth member is features
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return os.NewSyscallError("io_uring_setup", errno)
	}
	if params[5]&extArg == 0 {
		return errors.Join(fmt.Errorf("features %#x lack IORING_FEAT_EXT_ARG", params[5]), unix.Close(int(fd)))
	}
	return unix.Close(int(fd))
}

func aio() error {
	var context uintptr
	if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, 8, uintptr(unsafe.Pointer(&context)), 0); errno != 0 {
		return os.NewSyscallError("io_setup", errno)
	}
	_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, context, 0, 0)
	return nil
}

func kernel() error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	var major, minor int
	release := unix.ByteSliceToString(name.Release[:])
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil || major < 6 || major == 6 && minor < 7 {
		return fmt.Errorf("kernel %s is older than 6.7", release)
	}
	return nil
}

func config() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_MPTCP)
	if err != nil {
		return os.NewSyscallError("socket(IPPROTO_MPTCP)", err)
	}
	unix.Close(fd)
	huge, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(huge), "[never]") {
		return fmt.Errorf("transparent huge pages: %q, %w", huge, err)
	}
	if err := opens(os.O_RDONLY, "/proc/kpagecount")(); err != nil {
		return err
	}
	names, _ := filepath.Glob("/sys/block/loop*/queue/scheduler")
	if !slices.ContainsFunc(names, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && len(strings.Fields(string(text))) > 1
	}) {
		return errors.New("no loop device has the choice of two I/O schedulers")
	}
	return nil
}

func seccomp() error {
	const getNotifSizes = 3 // SECCOMP_GET_NOTIF_SIZES, Linux 5.0
	var sizes [3]uint16
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, getNotifSizes, 0, uintptr(unsafe.Pointer(&sizes))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

func root() error {
	if os.Getuid() != 0 || os.Geteuid() != 0 {
		return fmt.Errorf("this is user %d", os.Geteuid())
	}
	return nil
}

func mountMemory(dir string) error {
	if err := unix.Mount("sluice", dir, "tmpfs", 0, "size=1m"); err != nil {
		return os.NewSyscallError("mount", err)
	}
	if err := unix.Unmount(dir, 0); err != nil {
		return err
	}
	return run(exec.Command("unshare", "-m", "true"))
}

func limits(dir string) error {
	if err := root(); err != nil {
		return err
	}
	users, err := os.ReadFile("/proc/self/uid_map")
	if err != nil || strings.Join(strings.Fields(string(users)), " ") != "0 0 4294967295" {
		return fmt.Errorf("a user namespace: %q, %w", users, err)
	}
	if n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); n != 0 || err != nil {
		return fmt.Errorf("PR_GET_NO_NEW_PRIVS = %d, %w", n, err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Flags&unix.ST_NOSUID != 0 {
		return fmt.Errorf("temporary files are on a file system with the option nosuid, or %w", err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
}

// cgroup makes a control group, and looks for the files of its limits, in both versions. The tests
// limit an ext4 on a loop device.
func cgroup(dir string) error {
	if err := fileSystem("ext4", "-q", "-F")(dir); err != nil {
		return err
	}
	name := fmt.Sprintf("sluice-probe-%d", os.Getpid())
	v2 := filepath.Join("/sys/fs/cgroup", name)
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		return withFiles(v2, "memory.max", "io.max")
	}
	return errors.Join(
		withFiles(filepath.Join("/sys/fs/cgroup/memory", name), "memory.limit_in_bytes"),
		withFiles(filepath.Join("/sys/fs/cgroup/blkio", name), "blkio.throttle.read_iops_device"))
}

func withFiles(dir string, names ...string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, opens(os.O_WRONLY, filepath.Join(dir, name))())
	}
	return errors.Join(append(errs, os.Remove(dir))...)
}

func kmsg() error {
	if err := opens(os.O_RDWR, "/dev/kmsg")(); err != nil {
		return err
	}
	setting, err := os.ReadFile("/proc/sys/kernel/printk_devkmsg")
	if err != nil || string(setting) == "off\n" {
		return fmt.Errorf("printk_devkmsg is %q, %w", setting, err)
	}
	return nil
}

func image(dir string) (name string, err error) {
	name = filepath.Join(dir, "image")
	// 320 MiB: xfs needs 300.
	return name, errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 320<<20))
}

func loop(dir string) error {
	name, err := image(dir)
	if err != nil {
		return err
	}
	device, err := exec.Command("losetup", "--find", "--show", name).Output()
	if err != nil {
		return fmt.Errorf("losetup: %w", err)
	}
	return run(exec.Command("losetup", "--detach", strings.TrimSpace(string(device))))
}

// fileSystem makes a file system in a file, and mounts it. Tests of xfs or btrfs may also use its
// tool.
func fileSystem(kind string, options ...string) func(dir string) error {
	return func(dir string) error {
		if tool := map[string]string{"xfs": "xfs_io", "btrfs": "btrfs"}[kind]; tool != "" {
			if _, err := exec.LookPath(tool); err != nil {
				return err
			}
		}
		name, err := image(dir)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, "mounted")
		if err := errors.Join(os.Mkdir(at, 0o700), run(exec.Command("mkfs."+kind, append(options, name)...))); err != nil {
			return err
		}
		if err := run(exec.Command("mount", "-t", kind, "-o", "loop", name, at)); err != nil {
			return err
		}
		return run(exec.Command("umount", at))
	}
}

func overlay(dir string) error {
	for _, name := range []string{"lower", "upper", "work", "mounted"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	at := filepath.Join(dir, "mounted")
	options := "lowerdir=" + dir + "/lower,upperdir=" + dir + "/upper,workdir=" + dir + "/work"
	if err := run(exec.Command("mount", "-t", "overlay", "-o", options, "overlay", at)); err != nil {
		return err
	}
	return unix.Unmount(at, 0)
}

func tmpfs() error {
	if !inMemory("/dev/shm") {
		return errors.New("/dev/shm is no tmpfs")
	}
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

func inMemory(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.TMPFS_MAGIC
}

// fuse opens /dev/fuse and checks for root: only root mounts without fusermount3.
func fuse() error {
	if err := opens(os.O_RDWR, "/dev/fuse")(); err != nil {
		return err
	}
	if os.Getuid() != 0 {
		return programs("fusermount3")()
	}
	return nil
}

func disk(dir string) error {
	if inMemory(dir) {
		return errors.New("temporary files are in memory")
	}
	return nil
}

func device(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return err
	}
	_, err := os.Stat(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	return err
}

func direct(dir string) error {
	return opens(os.O_RDWR|os.O_CREATE|unix.O_DIRECT, filepath.Join(dir, "file"))()
}

func noWait(dir string) error {
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		return err
	}
	n, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 4096)}, 0, unix.RWF_NOWAIT)
	if n != 4096 {
		return fmt.Errorf("preadv2 with RWF_NOWAIT, of bytes that were just written = %d, %w", n, err)
	}
	return nil
}

// acl is user::rw-, user:1:rw-, group::---, mask::rw-, other::---.
const acl = "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x06\x00\x01\x00\x00\x00" +
	"\x04\x00\x00\x00\xff\xff\xff\xff" + "\x10\x00\x06\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"

func attribute(name, value string) func(dir string) error {
	return func(dir string) error {
		return os.NewSyscallError("setxattr "+name, unix.Setxattr(dir, name, []byte(value), 0))
	}
}

func special(dir string) error {
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, make([]byte, 8192), 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	const punch = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	return errors.Join(
		os.Symlink("file", filepath.Join(dir, "symlink")),
		os.Link(file, filepath.Join(dir, "link")),
		unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600),
		os.NewSyscallError("fallocate", unix.Fallocate(int(f.Fd()), punch, 0, 4096)))
}
