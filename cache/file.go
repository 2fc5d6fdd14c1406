package cache

import (
	"context"
	"io/fs"
	"os"
	"sync/atomic"
)

// Direct is what the cache needs of a file, as *direct.File has it. All
// methods may be called at once; errors are complete, with the file's name;
// ReadAtContext returns an error whenever it returns less than it was asked
// for, io.EOF at the end of the file.
type Direct interface {
	Name() string
	ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	Size() (int64, error)
	Truncate(size int64) error
	SyncContext(ctx context.Context) error
	Close() error
}

// File is a file that is read through a [Cache].
type File struct {
	cache *Cache
	file  Direct
	id    uint64
	open  atomic.Bool // false: operations fail with os.ErrClosed
	ended atomic.Bool // Close has been called
}

// File makes d be read through c. It takes d over: Close of the File closes d,
// and what is written to d by another way is not seen where the old is in the
// cache, but after Invalidate. Two Files of one file do not know of each other
// either.
//
// On a Cache that is closed, all operations fail with os.ErrClosed.
func (c *Cache) File(d Direct) *File {
	f := &File{cache: c, file: d, id: c.serial.Add(1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		f.open.Store(true)
		c.files[f] = struct{}{}
	}
	return f
}

// Name returns the name of the file.
func (f *File) Name() string { return f.file.Name() }

// Size returns the size of the file in bytes, which the system is asked for.
func (f *File) Size() (int64, error) {
	if !f.open.Load() {
		return 0, f.error("size", os.ErrClosed)
	}
	return f.file.Size()
}

// Close closes the file, and its blocks leave the cache. A View stays valid
// until it is released. A second Close returns an error.
func (f *File) Close() error {
	if !f.ended.CompareAndSwap(false, true) {
		return f.error("close", os.ErrClosed)
	}
	f.cache.mu.Lock()
	delete(f.cache.files, f)
	f.cache.mu.Unlock()
	return f.close()
}

func (f *File) close() error {
	// What is being read is not kept when it comes: it sees this, or is
	// dropped.
	f.open.Store(false)
	f.dropFrom(0)
	return f.file.Close()
}

// error is err as package os gives it.
func (f *File) error(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.file.Name(), Err: err}
}
