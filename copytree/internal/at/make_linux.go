//go:build amd64 || arm64

package at

import "golang.org/x/sys/unix"

// Mknod makes a FIFO, socket, device or empty file. mode has the type, and the
// permissions before the umask.
func (k *Kernel) Mknod(dir int, name Name, mode uint32, rdev uint64) error {
	if err := k.fault("mknod"); err != nil {
		return err
	}
	return unix.Mknodat(dir, name.String(), mode, int(rdev))
}

// Symlink makes a symbolic link to target.
func (k *Kernel) Symlink(target string, dir int, name Name) error {
	if err := k.fault("symlink"); err != nil {
		return err
	}
	return unix.Symlinkat(target, dir, name.String())
}

// Readlink returns the target of a symbolic link. size is its Stat.Size, a hint.
func (k *Kernel) Readlink(dir int, name Name, size int64) (string, error) {
	if err := k.fault("readlink"); err != nil {
		return "", err
	}
	for room := min(max(size, 127), unix.PathMax-1) + 1; ; room *= 2 {
		b := make([]byte, room)
		n, err := unix.Readlinkat(dir, name.String(), b)
		if err != nil {
			return "", err
		}
		if n < len(b) || room > unix.PathMax {
			return string(b[:n]), nil
		}
	}
}

// Link makes a hard link: another name of a file.
func (k *Kernel) Link(fromDir int, from Name, f Follow, dir int, name Name) error {
	if err := k.fault("link"); err != nil {
		return err
	}
	flags := 0
	if f {
		flags = unix.AT_SYMLINK_FOLLOW
	}
	return unix.Linkat(fromDir, from.String(), dir, name.String(), flags)
}

// Unlink removes the name of a file. For a directory it fails.
func (k *Kernel) Unlink(dir int, name Name) error {
	if err := k.fault("unlink"); err != nil {
		return err
	}
	return unix.Unlinkat(dir, name.String(), 0)
}

// Rename gives a file another name in the same directory.
func (k *Kernel) Rename(dir int, old, to Name) error {
	if err := k.fault("rename"); err != nil {
		return err
	}
	return unix.Renameat(dir, old.String(), dir, to.String())
}

// RenameNew is Rename to a free name. The error is EEXIST if the name is taken.
func (k *Kernel) RenameNew(dir int, old, to Name) error {
	if err := k.fault("rename"); err != nil {
		return err
	}
	err := unix.Renameat2(dir, old.String(), dir, to.String(), unix.RENAME_NOREPLACE)
	if err != unix.EINVAL && err != unix.ENOSYS { // some file systems have no such rename
		return err
	}
	var s Stat
	switch err := k.Stat(dir, to, NoFollow, &s); err {
	case nil:
		return unix.EEXIST
	case unix.ENOENT:
	default:
		return err
	}
	return unix.Renameat(dir, old.String(), dir, to.String())
}
