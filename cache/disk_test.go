package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"testing"
)

// disk is a Direct in memory.
type disk struct {
	name string
	// reading, if not nil, is called in each read, before and after it takes the bytes. Its error
	// is the read's.
	reading func(ctx context.Context, off int64, n int, after bool) error

	mu     sync.Mutex
	data   []byte
	reads  int
	sizes  int
	closed bool
}

func (d *disk) Name() string { return d.name }

func (d *disk) hook(ctx context.Context, off int64, n int, after bool) error {
	d.mu.Lock()
	h := d.reading
	d.mu.Unlock()
	if h == nil {
		return nil
	}
	return h(ctx, off, n, after)
}

func (d *disk) ReadAtContext(ctx context.Context, b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "readat", Path: d.name, Err: errors.New("negative offset")}
	}
	if err := d.hook(ctx, off, len(b), false); err != nil {
		return 0, &fs.PathError{Op: "read", Path: d.name, Err: err}
	}
	d.mu.Lock()
	d.reads++
	n := 0
	if off < int64(len(d.data)) {
		n = copy(b, d.data[off:])
	}
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return 0, &fs.PathError{Op: "read", Path: d.name, Err: os.ErrClosed}
	}
	if err := d.hook(ctx, off, len(b), true); err != nil {
		return 0, &fs.PathError{Op: "read", Path: d.name, Err: err}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (d *disk) WriteAtContext(_ context.Context, b []byte, off int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if end := int(off) + len(b); end > len(d.data) {
		d.data = append(d.data, make([]byte, end-len(d.data))...)
	}
	return copy(d.data[off:], b), nil
}

func (d *disk) Size() (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sizes++
	return int64(len(d.data)), nil
}

func (d *disk) Truncate(size int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data = append(bytes.Clone(d.data), make([]byte, max(0, int(size)-len(d.data)))...)[:size]
	return nil
}

// PunchHole makes the n bytes at off zeros, as the method of a direct file.
func (d *disk) PunchHole(off, n int64) {
	if off < 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	size := int64(len(d.data))
	clear(d.data[min(off, size):min(size, off+min(n, size))])
}

func (d *disk) SyncContext(context.Context) error { return nil }

func (d *disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}

func (d *disk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reads
}

// fill makes the file n bytes long. All blocks have different contents.
func (d *disk) fill(n int) *disk {
	d.data = make([]byte, n)
	for i := range d.data {
		d.data[i] = byte(i) + byte(i>>8)*7 + byte(i>>16)*31
	}
	return d
}

const block = 4 << 10

// newTest returns a Cache of n blocks in one shard, with a File of size bytes. At the end of the
// test it checks that the Cache has released everything.
func newTest(t testing.TB, n, size int) (*Cache, *File, *disk) {
	t.Helper()
	return newSharded(t, n, size, 1)
}

func newSharded(t testing.TB, n, size, shards int) (*Cache, *File, *disk) {
	t.Helper()
	c := newCache(Options{Bytes: int64(n) * block, Block: block}, shards)
	d := (&disk{name: "disk"}).fill(size)
	t.Cleanup(func() {
		if st := c.Stats(); st.Bytes > int64(n)*block || st.Pinned != 0 {
			t.Errorf("before Close: %+v; want nothing pinned", st)
		}
		c.Close()
		mapped := c.arena.pool.Stats().Mapped + c.staging.Stats().Mapped
		if st := c.Stats(); st.Bytes != 0 || c.held.Load() != 0 || mapped != 0 {
			t.Errorf("after Close: %+v, %d held, %d mapped; want nothing", st, c.held.Load(), mapped)
		}
	})
	return c, c.File(d), d
}

// wantRead reads, and compares the result with the disk's bytes.
func wantRead(t testing.TB, f *File, d *disk, off int64, n int) {
	t.Helper()
	b := make([]byte, n)
	got, err := f.ReadAt(b, off)
	d.mu.Lock()
	want := d.data[min(off, int64(len(d.data))):][:max(0, min(int64(n), int64(len(d.data))-off))]
	if got != len(want) || !bytes.Equal(b[:got], want) || (err == nil) != (got == n) || err != nil && err != io.EOF {
		t.Errorf("ReadAt(%d bytes, %d) = %d, %v; want %d, and the bytes that the disk has: %t", n, off, got, err, len(want), bytes.Equal(b[:got], want))
	}
	d.mu.Unlock()
}
