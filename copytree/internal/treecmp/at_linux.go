package treecmp

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// at is a name in an open directory.
type at struct {
	dir  int
	name string
}

// open opens the name without following a symbolic link. If that is allowed, the access time stays
// unchanged.
func (a at) open(flags int) (int, error) {
	flags |= unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(a.dir, a.name, flags|unix.O_NOATIME, 0)
	if err == unix.EPERM {
		fd, err = unix.Openat(a.dir, a.name, flags, 0)
	}
	if err != nil {
		return -1, fmt.Errorf("open %q: %w", a.name, err)
	}
	return fd, nil
}

func (a at) openDir() (int, error) { return a.open(unix.O_DIRECTORY) }

func (a at) stat() (st unix.Stat_t, err error) {
	if err := unix.Fstatat(a.dir, a.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return st, fmt.Errorf("stat %q: %w", a.name, err)
	}
	return st, nil
}

// path returns a path for calls that take no directory.
func (a at) path() string {
	if a.dir == unix.AT_FDCWD {
		return a.name
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", a.dir, a.name)
}

func (a at) readlink() (string, error) {
	b := make([]byte, 4096) // PATH_MAX: no target is longer
	n, err := unix.Readlinkat(a.dir, a.name, b)
	if err != nil {
		return "", fmt.Errorf("readlink %q: %w", a.name, err)
	}
	return string(b[:n]), nil
}

// xattrs returns all extended attributes that are visible to the process.
func (a at) xattrs() (map[string]string, error) {
	list := make([]byte, 64<<10) // XATTR_LIST_MAX
	n, err := unix.Llistxattr(a.path(), list)
	if err == unix.EOPNOTSUPP {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listxattr %q: %w", a.name, err)
	}
	all := map[string]string{}
	for name := range bytes.SplitSeq(list[:n], []byte{0}) {
		if len(name) == 0 {
			continue
		}
		value := make([]byte, 64<<10) // XATTR_SIZE_MAX
		n, err := unix.Lgetxattr(a.path(), string(name), value)
		if err != nil {
			return nil, fmt.Errorf("getxattr %q of %q: %w", name, a.name, err)
		}
		all[string(name)] = string(value[:n])
	}
	return all, nil
}

// readNames returns the names in an open directory, sorted.
func readNames(fd int) ([]string, error) {
	again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), "directory")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}
