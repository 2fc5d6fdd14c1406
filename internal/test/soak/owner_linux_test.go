package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// file has the methods that an owner needs of each kind of file.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
	Close() error
}

func (h *house) openFile(name string) (file, error) {
	return h.s.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}

func (h *house) openDirect(name string) (file, error) {
	return direct.OpenOn(h.s, name, os.O_RDWR|os.O_CREATE, 0o600)
}

func (h *house) openCached(name string) (file, error) {
	f, err := direct.OpenOn(h.s, name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return cached{h.cache.File(f), f}, nil
}

// cached is a file of a cache, with the methods that only the direct file has.
type cached struct {
	*cache.File
	direct *direct.File
}

func (f cached) Allocate(off, n int64) error { return f.direct.Allocate(off, n) }

func (f cached) PunchHole(off, n int64) error {
	defer f.Invalidate(off, n) // even on an error
	return f.direct.PunchHole(off, n)
}

// owner is a goroutine that uses a file alone, and knows its contents.
type owner struct {
	name string
	open func(name string) (file, error)
	f    file
	want []byte
	ids  uint64 // texts written so far
}

const mostOwn = 256 << 10 // 256 KiB: the longest file

// step makes one operation, and checks its bytes.
func (o *owner) step(w *worker) (n int, err error) {
	if o.f == nil {
		if o.f, err = o.open(o.name); err != nil {
			o.f = nil
			return 1, err
		}
		return 1, nil
	}
	switch k := w.rand.IntN(100); {
	case k < 60:
		return 1, o.read(w)
	case k < 90:
		return 1, o.write(w)
	case k < 94:
		if f, ok := o.f.(interface{ Datasync() error }); ok && k < 92 {
			return 1, f.Datasync()
		}
		return 1, o.f.Sync()
	case k < 96:
		size := w.rand.Int64N(mostOwn + 1)
		if err := o.f.Truncate(size); err != nil {
			return 1, err
		}
		o.resize(size)
	case k < 97:
		off, n := w.rand.Int64N(mostOwn), 1+w.rand.Int64N(16<<10)
		n = min(n, mostOwn-off)
		if err := o.f.PunchHole(off, n); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return 1, err
		} else if err == nil && off < int64(len(o.want)) {
			clear(o.want[off:min(off+n, int64(len(o.want)))])
		}
	case k < 98:
		off, n := w.rand.Int64N(mostOwn), 1+w.rand.Int64N(16<<10)
		n = min(n, mostOwn-off)
		if err := o.f.Allocate(off, n); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return 1, err
		}
	default:
		f := o.f
		o.f = nil
		if err := f.Close(); err != nil {
			return 1, err
		}
		o.f, err = o.open(o.name) // in the same step, so that each sample finds it open
		if err != nil {
			o.f = nil
		}
		return 2, err
	}
	return 1, nil
}

func (o *owner) close() error {
	if o.f == nil {
		return nil
	}
	return o.f.Close()
}

// resize makes want as long as the file, with zeros in the new part.
func (o *owner) resize(size int64) {
	if o.want == nil {
		o.want = make([]byte, 0, mostOwn)
	}
	old := len(o.want)
	o.want = o.want[:size]
	if int(size) > old {
		clear(o.want[old:])
	}
}

func (o *owner) write(w *worker) error {
	off := w.rand.Int64N(mostOwn)
	b := make([]byte, 1+w.rand.Int64N(min(32<<10, mostOwn-off)))
	o.ids++
	testenv.Fill(b, off, o.ids)
	n, err := o.f.WriteAt(b, off)
	if err != nil || n != len(b) {
		return fmt.Errorf("WriteAt of %d bytes at %d = %d, %w", len(b), off, n, err)
	}
	o.resize(max(int64(len(o.want)), off+int64(n)))
	copy(o.want[off:], b)
	return nil
}

func (o *owner) read(w *worker) error {
	off := w.rand.Int64N(mostOwn)
	b := make([]byte, 1+w.rand.Int64N(32<<10))
	want := o.want[min(off, int64(len(o.want))):]
	want = want[:min(len(b), len(want))]
	n, err := o.readBy(w, b, off)
	end := error(nil)
	if len(want) < len(b) {
		end = io.EOF
	}
	if err != end {
		return fmt.Errorf("reading %d bytes at %d of %d = %d, %w; want %v", len(b), off, len(o.want), n, err, end)
	}
	return same(b[:n], want, off, fmt.Sprintf("reading (%T)", o.f))
}

// readBy reads like ReadAt, in one of the file's ways.
func (o *owner) readBy(w *worker, b []byte, off int64) (n int, err error) {
	way := w.rand.IntN(4)
	switch f := o.f.(type) {
	case *sluice.File:
		if way == 0 {
			if _, err := f.Seek(off, io.SeekStart); err != nil {
				return 0, err
			}
			n, err := io.ReadFull(f, b)
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			return n, err
		}
	case *direct.File:
		if way == 0 {
			got, err := f.ReadBuffer(context.Background(), off, len(b))
			defer got.Release()
			n := copy(b, got.Bytes())
			if err == nil && n < len(b) {
				err = io.EOF // ReadBuffer only reports it without bytes
			}
			return n, err
		}
	case cached:
		if way == 0 {
			v, err := f.View(context.Background(), off, len(b))
			if !errors.Is(err, cache.ErrFull) && len(v.Bytes()) == len(b) {
				defer v.Release()
				return copy(b, v.Bytes()), err
			}
			v.Release() // a View ends with its block
		}
	}
	return o.f.ReadAt(b, off)
}
