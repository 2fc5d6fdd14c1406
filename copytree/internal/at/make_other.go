//go:build !linux || (!amd64 && !arm64)

package at

import (
	"os"
	"path/filepath"
	"syscall"
)

// Mkdir makes a directory with mode, restricted by the umask.
func (k *Kernel) Mkdir(dir int, name Name, mode uint32) error {
	d, err := k.begin("mkdir", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Mkdir(name.String(), os.FileMode(mode&ModePerm)))
}

// Symlink makes a symbolic link to target.
func (k *Kernel) Symlink(target string, dir int, name Name) error {
	d, err := k.begin("symlink", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Symlink(target, name.String()))
}

// Readlink returns the target of a symbolic link.
func (k *Kernel) Readlink(dir int, name Name, _ int64) (string, error) {
	d, err := k.begin("readlink", dir)
	if err != nil {
		return "", err
	}
	target, err := d.root.Readlink(name.String())
	return target, bare(err)
}

// Link makes a hard link: another name of a file. The system decides whether it follows a symbolic
// link.
func (k *Kernel) Link(fromDir int, from Name, _ Follow, dir int, name Name) error {
	d, err := k.begin("link", fromDir)
	if err != nil {
		return err
	}
	to, err := k.lookup(dir)
	if err != nil {
		return err
	}
	return bare(os.Link(filepath.Join(d.path, from.String()), filepath.Join(to.path, name.String())))
}

// Unlink removes the name of a file. For a directory it fails.
func (k *Kernel) Unlink(dir int, name Name) error {
	d, err := k.begin("unlink", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Remove(name.String()))
}

// Rename gives a file another name in the same directory.
func (k *Kernel) Rename(dir int, old, to Name) error {
	d, err := k.begin("rename", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Rename(old.String(), to.String()))
}

// RenameNew is Rename to a free name. The error is EEXIST if the name is taken.
func (k *Kernel) RenameNew(dir int, old, to Name) error {
	d, err := k.begin("rename", dir)
	if err != nil {
		return err
	}
	if _, err := d.root.Lstat(to.String()); err == nil {
		return syscall.EEXIST
	}
	return bare(d.root.Rename(old.String(), to.String()))
}
