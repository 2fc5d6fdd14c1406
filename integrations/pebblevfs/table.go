package pebblevfs

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/cockroachdb/errors"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice/direct"
)

// A stream has streamCount buffers of streamSize bytes.
const (
	streamSize  = 256 << 10 // 256 KiB
	streamCount = 4
)

// table is a vfs.File that goes past the page cache.
//
// A stream reads ahead of the caller, or writes behind it. A table that is read at random is only a
// direct.File.
type table struct {
	f        *direct.File
	stream   bool // read from front to back, or written
	writable bool

	mu  sync.Mutex     // guards all below; random reads do not take it
	pos int64          // the position of Read and Write
	w   *direct.Writer // has written up to pos; nil if all bytes are in the file
	r   *direct.Reader // nil before the first sequential read
	// closed says that the stream was released.
	closed bool
}

var _ vfs.File = (*table)(nil)

// Write writes at the position. The bytes are in the file after the next call of another method.
func (t *table) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.writable {
		return 0, &os.PathError{Op: "write", Path: t.f.Name(), Err: syscall.EBADF}
	}
	if t.w == nil {
		w, err := t.f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: streamSize, WriteBehind: streamCount, Start: t.pos})
		if err != nil {
			return 0, err
		}
		t.w = w
	}
	n, err := t.w.Write(b)
	t.pos += int64(n)
	return n, err
}

// flush brings all written bytes into the file. It must be called with mu held.
func (t *table) flush() error {
	if t.w == nil {
		return nil
	}
	return t.w.Flush()
}

// endWriting is flush before the position changes in another way.
func (t *table) endWriting() error {
	if t.w == nil {
		return nil
	}
	if err := t.w.Flush(); err != nil { // w stays, so that later calls return the error, too
		return err
	}
	w := t.w
	t.w = nil
	return w.Close()
}

// Read reads at the position.
func (t *table) Read(b []byte) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.endWriting(); err != nil {
		return 0, err
	}
	if len(b) == 0 {
		return 0, nil
	}
	n, err = t.readLocked(b, t.pos)
	t.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// ReadAt reads len(b) bytes at off.
func (t *table) ReadAt(b []byte, off int64) (n int, err error) {
	if !t.stream {
		return t.f.ReadAt(b, off)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flush(); err != nil {
		return 0, err
	}
	return t.readLocked(b, off)
}

// readLocked is ReadAt after all written bytes are in the file.
func (t *table) readLocked(b []byte, off int64) (n int, err error) {
	if !t.stream || t.writable || off < 0 || len(b) == 0 {
		return t.f.ReadAt(b, off)
	}
	if t.r == nil {
		t.r, err = t.f.NewReader(context.Background(), direct.ReaderOptions{BufferSize: streamSize, ReadAhead: streamCount})
		if err != nil {
			return 0, err
		}
	}
	return t.r.ReadAt(b, off)
}

// WriteAt writes at off.
func (t *table) WriteAt(b []byte, off int64) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flush(); err != nil {
		return 0, err
	}
	return t.f.WriteAt(b, off)
}

func (t *table) Stat() (vfs.FileInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flush(); err != nil {
		return nil, err
	}
	info, err := t.f.Stat()
	if err != nil {
		return nil, err
	}
	return withDevice(info, t.f.Name(), t.f.Fd())
}

func (t *table) Sync() error     { return t.sync(t.f.Sync) }
func (t *table) SyncData() error { return t.sync(t.f.Datasync) }

func (t *table) sync(commit func() error) error {
	t.mu.Lock()
	err := t.flush()
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return commit()
}

// SyncTo does nothing: written bytes are already on their way to the device.
func (t *table) SyncTo(int64) (fullSync bool, err error) { return false, nil }

// Prefetch does nothing: reads do not use the page cache.
func (t *table) Prefetch(int64, int64) error { return nil }

func (t *table) Preallocate(off, n int64) error { return t.f.Allocate(off, n) }

// Fd returns the descriptor (see file.Fd). Pebble only gives advice with it.
func (t *table) Fd() uintptr { return t.f.Fd() }

// Close closes the file after all written bytes are in it.
func (t *table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || !t.stream {
		return t.f.Close()
	}
	t.closed = true
	defer releaseStream()
	var err error
	if t.w != nil {
		err = t.w.Close()
	}
	if t.r != nil {
		err = errors.CombineErrors(err, t.r.Close())
	}
	return errors.CombineErrors(err, t.f.Close())
}
