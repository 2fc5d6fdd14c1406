//go:build !linux || (!amd64 && !arm64)

package at

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Open opens a file of the source for reading. t is the expected type. Open waits for a FIFO's
// writer. It fails if t is a regular file and the file is none.
func (k *Kernel) Open(dir int, name Name, f Follow, t Type) (int, error) {
	d, err := k.begin("open", dir)
	if err != nil {
		return -1, err
	}
	var s Stat
	path := filepath.Join(d.path, name.String())
	if err := s.ofName(d, name, f); err != nil {
		return -1, err
	}
	if t == Regular && s.Type() != Regular {
		return -1, syscall.ENXIO
	}
	file, err := d.root.Open(name.String())
	if f {
		file, err = os.Open(path)
	}
	if err != nil {
		return -1, bare(err)
	}
	return k.add(&open{file: file, path: path}), nil
}

// Readable returns at once: Open has waited.
func (k *Kernel) Readable(int, time.Duration) bool { return true }

// OpenCached does nothing.
func (k *Kernel) OpenCached(int, Name) (int, Cached) { return -1, CacheUnknown }

// ReadCached does nothing.
func (k *Kernel) ReadCached(int, []byte) Cached { return CacheUnknown }

// Create creates a file with mode, restricted by the umask. The error is EEXIST if the name exists.
func (k *Kernel) Create(dir int, name Name, mode uint32, a Access) (int, error) {
	d, err := k.begin("open", dir)
	if err != nil {
		return -1, err
	}
	file, err := d.root.OpenFile(name.String(), accessFlags[a]|os.O_CREATE|os.O_EXCL, os.FileMode(mode&ModePerm))
	if err != nil {
		return -1, bare(err)
	}
	return k.add(&open{file: file, path: filepath.Join(d.path, name.String())}), nil
}

// CreateUnnamed fails.
func (k *Kernel) CreateUnnamed(int) (int, error) { return -1, errors.ErrUnsupported }

// Overwrite opens an existing file for writing. It waits for the reader of a FIFO.
func (k *Kernel) Overwrite(dir int, name Name, f Follow, o Opening) (int, error) {
	d, err := k.begin("open", dir)
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
	return k.add(&open{file: file, path: path}), nil
}

var accessFlags = [...]int{Write: os.O_WRONLY, ReadWrite: os.O_RDWR}

// ReadDir appends the next entries of a directory to into. It ignores the buffer, but used is 0
// only at the end of the directory.
func (k *Kernel) ReadDir(fd int, _ []byte, into []Entry) (_ []Entry, used int, err error) {
	o, err := k.begin("getdents", fd)
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
	return into, min(len(names), 1) * MaxDirent, bare(err)
}

// SeekDir sets the position of ReadDir to an Entry.Next. 0 is the beginning.
func (k *Kernel) SeekDir(fd int, next int64) error {
	o, err := k.begin("lseek", fd)
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
