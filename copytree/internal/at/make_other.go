//go:build !linux || (!amd64 && !arm64)

package at

import (
	"os"
	"path/filepath"
	"syscall"
)

// Mkdir makes a directory, with what the umask leaves of mode.
func (k *Kernel) Mkdir(dir int, name Name, mode uint32) error {
	d, err := k.in("mkdir", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Mkdir(name.String(), os.FileMode(mode&ModePerm)))
}

// Mknod is not to be had from package os.
func (k *Kernel) Mknod(int, Name, uint32, uint64) error { return syscall.EINVAL }

// Symlink makes a symbolic link to target.
func (k *Kernel) Symlink(target string, dir int, name Name) error {
	d, err := k.in("symlink", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Symlink(target, name.String()))
}

// Readlink returns where a symbolic link leads to.
func (k *Kernel) Readlink(dir int, name Name, _ int64) (string, error) {
	d, err := k.in("readlink", dir)
	if err != nil {
		return "", err
	}
	target, err := d.root.Readlink(name.String())
	return target, bare(err)
}

// Link makes another name of a file. Whether a link is followed is the system's
// choice.
func (k *Kernel) Link(fromDir int, from Name, _ Follow, dir int, name Name) error {
	d, err := k.in("link", fromDir)
	if err != nil {
		return err
	}
	to, err := k.at(dir)
	if err != nil {
		return err
	}
	return bare(os.Link(filepath.Join(d.path, from.String()), filepath.Join(to.path, name.String())))
}

// Unlink removes a name that is not a directory's.
func (k *Kernel) Unlink(dir int, name Name) error {
	d, err := k.in("unlink", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Remove(name.String()))
}

// Rename gives a file another name in the same directory.
func (k *Kernel) Rename(dir int, old, to Name) error {
	d, err := k.in("rename", dir)
	if err != nil {
		return err
	}
	return bare(d.root.Rename(old.String(), to.String()))
}
