package cache

import (
	"context"
	"io/fs"
	"os"
	"reflect"
	"sync/atomic"
)

// Direct is the file that a File reads and writes: a *direct.File, or a type that behaves as it
// does. All methods may be called at once. Errors name the operation and the file, as *fs.PathError
// does. If n < len(b), ReadAtContext returns an error; at the end of the file it is io.EOF.
type Direct interface {
	Name() string
	ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	Size() (int64, error)
	Truncate(size int64) error
	SyncContext(ctx context.Context) error
	Close() error
}

// File reads a file through a [Cache]. [Cache.File] makes one. Methods of the zero File return
// os.ErrInvalid.
type File struct {
	cache *Cache
	file  Direct
	id    uint64
	used  bool        // counted in cache.users, until it is closed
	open  atomic.Bool // false: operations fail with os.ErrClosed
	ended atomic.Bool // Close has been called
}

// File returns a File that reads d through c, and owns d: closing the File closes d. Each File has
// its own blocks, even of the same file on disk. If d is written to by other means, reads may
// return the old bytes until [File.Invalidate] is called. After Close of c, all methods of the File
// but Close fail with os.ErrClosed. File panics if d is nil, or a nil pointer.
func (c *Cache) File(d Direct) *File {
	c.checkMade()
	if v := reflect.ValueOf(d); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("cache: Cache.File of a nil file")
	}
	f := &File{cache: c, file: d, id: c.serial.Add(1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		f.used = true
		c.users.Add(1)
		f.open.Store(true)
		c.files[f] = struct{}{}
	}
	return f
}

// Size returns the size of the file in bytes. It asks the operating system.
func (f *File) Size() (int64, error) {
	if !f.open.Load() {
		return 0, f.error("size", os.ErrClosed)
	}
	return f.file.Size()
}

// Close closes the file, and its blocks leave the cache. A *direct.File waits for operations in
// progress. A View stays valid until it is released. A second Close returns os.ErrClosed, in a
// *fs.PathError.
func (f *File) Close() error {
	if f.file == nil {
		return os.ErrInvalid
	}
	if !f.ended.CompareAndSwap(false, true) {
		return f.error("close", os.ErrClosed)
	}
	f.cache.mu.Lock()
	delete(f.cache.files, f)
	f.cache.mu.Unlock()
	return f.close()
}

func (f *File) close() error {
	if f.used {
		defer f.cache.release() // after f.file.Close, which waits for its reads
	}
	// A read in progress will not be cached: shard.finish sees that open is false, unless dropFrom
	// has detached the load before.
	f.open.Store(false)
	f.dropFrom(0)
	return f.file.Close()
}

// error returns err with the operation and the file's name, as package os does. The zero File is
// not open, so its methods fail here.
func (f *File) error(op string, err error) error {
	if f.file == nil {
		return os.ErrInvalid
	}
	return &fs.PathError{Op: op, Path: f.file.Name(), Err: err}
}
