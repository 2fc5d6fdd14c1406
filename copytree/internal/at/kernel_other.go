//go:build !linux || (!amd64 && !arm64)

package at

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// CWD stands for the current directory where a descriptor is asked for.
const CWD = -1

// found is what is open, by its descriptor.
type found struct {
	mu   sync.Mutex
	open map[int]*open // under mu
}

// open is a file, or a directory, whose names are kept inside it by root.
type open struct {
	file *os.File
	root *os.Root
	path string // as it was opened
	read int64  // entries of a directory that were read
}

func (k *Kernel) keep(o *open) int {
	fd := int(o.file.Fd())
	k.found.mu.Lock()
	defer k.found.mu.Unlock()
	if k.found.open == nil {
		k.found.open = make(map[int]*open)
	}
	k.found.open[fd] = o
	return fd
}

// at returns what is open as fd.
func (k *Kernel) at(fd int) (*open, error) {
	k.found.mu.Lock()
	defer k.found.mu.Unlock()
	if o := k.found.open[fd]; o != nil {
		return o, nil
	}
	return nil, syscall.EBADF
}

// in returns the directory fd, or the fault to be had.
func (k *Kernel) in(op string, fd int) (*open, error) {
	if err := k.fault(op); err != nil {
		return nil, err
	}
	return k.at(fd)
}

// bare is the system's error.
func bare(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return known(e.Err)
	case *os.LinkError:
		return known(e.Err)
	case *os.SyscallError:
		return known(e.Err)
	}
	return err
}

// known gives the errors that decide something the numbers that they have
// elsewhere.
func known(err error) error {
	e, ok := err.(syscall.Errno)
	switch {
	case err == fs.ErrExist, ok && e != syscall.ENOTEMPTY && e.Is(fs.ErrExist):
		return syscall.EEXIST
	case err == fs.ErrNotExist, ok && e.Is(fs.ErrNotExist):
		return syscall.ENOENT
	}
	return err
}

// directory opens a directory by its path.
func (k *Kernel) directory(path string, root *os.Root, err error) (int, error) {
	if err != nil {
		return -1, bare(err)
	}
	f, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return -1, bare(err)
	}
	return k.keep(&open{file: f, root: root, path: path}), nil
}

// OpenBase opens the directory that path leads to, for the names in it.
func (k *Kernel) OpenBase(path string) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	root, err := os.OpenRoot(path)
	return k.directory(path, root, err)
}

// OpenDir opens a directory of the source. What is not one is ENOTDIR.
func (k *Kernel) OpenDir(dir int, name Name, f Follow) (int, error) {
	d, err := k.in("open", dir)
	if err != nil {
		return -1, err
	}
	path := filepath.Join(d.path, name.String())
	if f {
		root, err := os.OpenRoot(path)
		return k.directory(path, root, err)
	}
	info, err := d.root.Lstat(name.String())
	if err != nil {
		return -1, bare(err)
	}
	if !info.IsDir() {
		return -1, syscall.ENOTDIR
	}
	root, err := d.root.OpenRoot(name.String())
	return k.directory(path, root, err)
}

// OpenMade opens a directory of the destination.
func (k *Kernel) OpenMade(dir int, name Name, f Follow) (int, error) {
	return k.OpenDir(dir, name, f)
}

// Close closes a descriptor.
func (k *Kernel) Close(fd int) error {
	o, err := k.at(fd)
	if err != nil {
		return err
	}
	k.found.mu.Lock()
	delete(k.found.open, fd)
	k.found.mu.Unlock()
	if o.root != nil {
		_ = o.root.Close()
	}
	err = bare(o.file.Close())
	if fault := k.fault("close"); fault != nil {
		return fault
	}
	return err
}

// Descriptors returns how many the process may have open.
func Descriptors() int { return descriptorsElsewhere }

// Umask is not known.
func Umask() uint32 { return 0o022 }

// Ancestors returns what the directory is, and all above it.
func (k *Kernel) Ancestors(dir int) ([]ID, error) {
	d, err := k.in("stat", dir)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(d.path)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, bare(err)
	}
	for ids := []ID(nil); ; path = filepath.Dir(path) {
		var s Stat
		if err := s.ofPath(path, FollowsLinks); err != nil {
			return ids, err
		}
		ids = append(ids, s.ID)
		if path == filepath.Dir(path) {
			return ids, nil
		}
	}
}
