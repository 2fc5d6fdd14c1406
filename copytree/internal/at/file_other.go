//go:build !linux || (!amd64 && !arm64)

package at

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Open opens a file of the source for reading, which is thought to be of a kind.
// What is said to be a FIFO is opened when its other end is; one that is said to
// be a regular file is refused.
func (k *Kernel) Open(dir int, name Name, f Follow, kind Type) (int, error) {
	d, err := k.in("open", dir)
	if err != nil {
		return -1, err
	}
	var s Stat
	path := filepath.Join(d.path, name.String())
	if err := s.ofName(d, name, f); err != nil {
		return -1, err
	}
	if kind == Regular && s.Type() != Regular {
		return -1, syscall.ENXIO
	}
	file, err := d.root.Open(name.String())
	if f {
		file, err = os.Open(path)
	}
	if err != nil {
		return -1, bare(err)
	}
	return k.keep(&open{file: file, path: path}), nil
}

// Readable is Linux's alone: elsewhere Open has waited.
func (k *Kernel) Readable(int, time.Duration) bool { return true }

// OpenCached is Linux's alone.
func (k *Kernel) OpenCached(int, Name) (int, Cached) { return -1, CacheUnknown }

// ReadCached is Linux's alone.
func (k *Kernel) ReadCached(int, []byte) (int, Cached) { return 0, CacheUnknown }

// Create makes a file that is not there (EEXIST), with what the umask leaves of
// mode.
func (k *Kernel) Create(dir int, name Name, mode uint32, a Access) (int, error) {
	d, err := k.in("open", dir)
	if err != nil {
		return -1, err
	}
	file, err := d.root.OpenFile(name.String(), accessFlags[a]|os.O_CREATE|os.O_EXCL, os.FileMode(mode&ModePerm))
	if err != nil {
		return -1, bare(err)
	}
	return k.keep(&open{file: file, path: filepath.Join(d.path, name.String())}), nil
}

// Overwrite opens a file that is there. A FIFO's other end is waited for.
func (k *Kernel) Overwrite(dir int, name Name, f Follow, o Opening) (int, error) {
	d, err := k.in("open", dir)
	if err != nil {
		return -1, err
	}
	flags, path := accessFlags[o.Access], filepath.Join(d.path, name.String())
	if o.Empty {
		flags |= os.O_TRUNC
	}
	if o.Create {
		flags |= os.O_CREATE
	}
	var file *os.File
	if f {
		file, err = os.OpenFile(path, flags, fs.FileMode(o.Mode).Perm())
	} else {
		file, err = d.root.OpenFile(name.String(), flags, fs.FileMode(o.Mode).Perm())
	}
	if err != nil {
		return -1, bare(err)
	}
	return k.keep(&open{file: file, path: path}), nil
}

var accessFlags = [...]int{Write: os.O_WRONLY, ReadWrite: os.O_RDWR}

// Read reads at an offset.
func (k *Kernel) Read(fd int, b []byte, off int64) (int, error) {
	o, err := k.in("read", fd)
	if err != nil {
		return 0, err
	}
	n, err := o.file.ReadAt(b, off)
	if err == io.EOF {
		err = nil
	}
	return n, bare(err)
}

// Write writes all of b at the file's position.
func (k *Kernel) Write(fd int, b []byte) error {
	o, err := k.in("write", fd)
	if err != nil {
		return err
	}
	_, err = o.file.Write(b)
	return bare(err)
}

// ReadDir appends what is next in a directory to into, and says that a part of
// buf is used, which it is not. At the end of the directory used is 0.
func (k *Kernel) ReadDir(fd int, _ []byte, into []Entry) (_ []Entry, used int, err error) {
	o, err := k.in("getdents", fd)
	if err != nil {
		return into, 0, err
	}
	names, err := o.file.ReadDir(64)
	for _, e := range names {
		o.read++
		t := Type(modeOf(e.Type()) >> 12)
		into = append(into, Entry{Name: NameOf(e.Name()), Next: o.read, Type: t})
	}
	if err == io.EOF {
		err = nil
	}
	return into, min(len(names), 1) * DirentMost, bare(err)
}

// SeekDir goes to where an Entry.Next has pointed; 0 is the beginning.
func (k *Kernel) SeekDir(fd int, next int64) error {
	o, err := k.in("lseek", fd)
	if err != nil {
		return err
	}
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return bare(err)
	}
	for o.read = 0; o.read < next; {
		names, err := o.file.ReadDir(int(min(next-o.read, 1024)))
		if err != nil {
			return bare(err)
		}
		o.read += int64(len(names))
	}
	return nil
}
