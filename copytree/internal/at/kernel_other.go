//go:build !linux || (!amd64 && !arm64)

package at

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// shared has the open files of a Kernel and its clones, by descriptor.
type shared struct {
	mu   sync.Mutex
	open map[int]*open // guarded by mu
}

// open is an open file or directory.
type open struct {
	file *os.File
	root *os.Root // keeps names inside an open directory
	path string   // the path that was opened
	read int64    // the number of entries read from a directory
}

// add makes a descriptor for o, and returns it.
func (k *Kernel) add(o *open) int {
	fd := int(o.file.Fd())
	k.shared.mu.Lock()
	defer k.shared.mu.Unlock()
	if k.shared.open == nil {
		k.shared.open = make(map[int]*open)
	}
	k.shared.open[fd] = o
	return fd
}

// lookup returns the open file of fd.
func (k *Kernel) lookup(fd int) (*open, error) {
	k.shared.mu.Lock()
	defer k.shared.mu.Unlock()
	if o := k.shared.open[fd]; o != nil {
		return o, nil
	}
	return nil, syscall.EBADF
}

// begin begins a call: it returns the open file of fd, or the error of Fault for op.
func (k *Kernel) begin(op string, fd int) (*open, error) {
	if err := k.fault(op); err != nil {
		return nil, err
	}
	return k.lookup(fd)
}

// bare returns the system's error that err wraps.
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

// known returns EEXIST and ENOENT for errors that mean the same and have other numbers on some
// systems.
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

// directory returns a descriptor of root's directory.
func (k *Kernel) directory(path string, root *os.Root, err error) (int, error) {
	if err != nil {
		return -1, bare(err)
	}
	f, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return -1, bare(err)
	}
	return k.add(&open{file: f, root: root, path: path}), nil
}

// OpenBase opens the directory at path, to reach the names in it.
func (k *Kernel) OpenBase(path string) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	root, err := os.OpenRoot(path)
	return k.directory(path, root, err)
}

// OpenAgain opens a directory of OpenBase a second time.
func (k *Kernel) OpenAgain(dir int) (int, error) {
	d, err := k.begin("open", dir)
	if err != nil {
		return -1, err
	}
	root, err := d.root.OpenRoot(".")
	return k.directory(d.path, root, err)
}

// OpenDir opens a directory of the source. The error is ENOTDIR if name is no directory.
func (k *Kernel) OpenDir(dir int, name Name, f Follow) (int, error) {
	d, err := k.begin("open", dir)
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

// OpenCopy is OpenMade: package os opens no unreadable directory.
func (k *Kernel) OpenCopy(dir int, name Name, f Follow) (int, error) {
	return k.OpenMade(dir, name, f)
}

// OpenMade opens a readable directory of the destination.
func (k *Kernel) OpenMade(dir int, name Name, f Follow) (int, error) {
	return k.OpenDir(dir, name, f)
}

// Close closes a descriptor.
func (k *Kernel) Close(fd int) error {
	o, err := k.lookup(fd)
	if err != nil {
		return err
	}
	k.shared.mu.Lock()
	delete(k.shared.open, fd)
	k.shared.mu.Unlock()
	if o.root != nil {
		_ = o.root.Close()
	}
	err = bare(o.file.Close())
	if fault := k.fault("close"); fault != nil {
		return fault
	}
	return err
}

// Descriptors returns the number of descriptors that the process may have.
func Descriptors() int { return defaultDescriptors }

// Umask returns the usual umask: the process's umask is unknown.
func Umask() uint32 { return 0o022 }

// Ancestors returns the IDs of a directory and of all directories above it, the nearest first. The
// first one has this name in dir; if it does not exist, dir is the first. The list ends, without an
// error, at a directory that the process may not search.
func (k *Kernel) Ancestors(dir int, name Name, f Follow) ([]ID, error) {
	d, err := k.begin("stat", dir)
	if err != nil {
		return nil, err
	}
	var s Stat
	path := filepath.Join(d.path, name.String())
	if s.ofPath(path, f) != nil || s.Type() != Directory {
		path = d.path
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	var ids []ID
	for err == nil {
		if err = s.ofPath(path, FollowsLinks); err == nil {
			ids = append(ids, s.ID)
			if path == filepath.Dir(path) {
				return ids, nil
			}
			path = filepath.Dir(path)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return ids, nil
	}
	return ids, bare(err)
}
