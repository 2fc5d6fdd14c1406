//go:build amd64 || arm64

package transparent

import "golang.org/x/sys/unix"

// kind is how a descriptor was opened.
type kind struct {
	direct, appends bool
}

// kindOf returns how fd was opened. ok is false unless fd is a regular file or a block device, on a
// disk or on memory that replaces one. ok is also false if fstat(2) fails: the program's os.File
// then makes plain calls, with the errors of package os.
func kindOf(fd int) (k kind, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return kind{}, false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		// A file on a block device's file system has that device's number.
		if unix.Major(st.Dev) == 0 && !onDisk(fd) {
			return kind{}, false
		}
	case unix.S_IFBLK:
	default:
		return kind{}, false
	}
	// A raw system call will do: it never waits, and programs open many files.
	flags, _, errno := unix.RawSyscall(unix.SYS_FCNTL, uintptr(fd), unix.F_GETFL, 0)
	if errno != 0 {
		return kind{}, false
	}
	return kind{direct: flags&unix.O_DIRECT != 0, appends: flags&unix.O_APPEND != 0}, true
}

// onDisk reports whether the files of a file system without a device behave as files on a disk. The
// kernel's special file systems do not: their reads may wait without end, and not for a disk. Nor
// do file systems in user space: their server may need the scheduler to answer a request that waits
// in the scheduler.
func onDisk(fd int) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return false
	}
	switch fs.Type {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC,
		unix.SECURITYFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
		unix.BPF_FS_MAGIC, unix.BINFMTFS_MAGIC, unix.EFIVARFS_MAGIC, unix.PSTOREFS_MAGIC,
		unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.RDTGROUP_SUPER_MAGIC, unix.NSFS_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC:
		return false
	}
	return true
}
