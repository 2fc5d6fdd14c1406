package cache

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// ErrFull is wrapped by the error of [File.View] if the block is not cached and
// Views and operations in progress use all memory. ReadAt still works then.
var ErrFull = errors.New("all blocks of the cache are in use")

// View is a part of a file in the cache's memory. It is a value. Copies of it are
// the same View, which is released once. After that Bytes of all copies returns
// nil, and Release does nothing. The zero View behaves as one that was released.
type View struct {
	pin    *pin
	gen    uint32
	lo, hi uint32
}

// pin is a View's reference to a frame. It is re-used for later Views.
type pin struct {
	// gen is increased when a View ends, by the goroutine that releases it. A
	// View with another generation than this is stale.
	gen   atomic.Uint32
	shard *shard
	frame int32
}

var pins = sync.Pool{New: func() any { return new(pin) }}

// Bytes returns the bytes of the View, or nil after Release. They must not be
// written to, nor read after Release.
func (v View) Bytes() []byte {
	if v.pin == nil || v.pin.gen.Load() != v.gen {
		return nil
	}
	return v.pin.shard.memory(v.pin.frame)[v.lo:v.hi:v.hi]
}

// Len returns the number of bytes, also after Release.
func (v View) Len() int { return int(v.hi - v.lo) }

// Release ends the View. The memory of its block may then be re-used.
func (v View) Release() {
	if v.pin == nil || !v.pin.gen.CompareAndSwap(v.gen, v.gen+1) {
		return
	}
	s, i := v.pin.shard, v.pin.frame
	pins.Put(v.pin)
	s.unpin(i)
}

// View returns up to n bytes of the file at off, without copying them. It
// returns fewer than n at the end of the file, or of the block that off is in,
// but at least one if n is not 0. A negative n or off is an error. At the end of
// the file the error is io.EOF; if there is no memory for the block, it wraps
// [ErrFull]. What the View shows does not change, even if the file does. Its block
// counts against the budget until the View is released.
func (f *File) View(ctx context.Context, off int64, n int) (View, error) {
	if err := f.check(ctx); err != nil {
		return View{}, err
	}
	switch {
	case off < 0:
		return View{}, f.error("read", errors.New("negative offset"))
	case n < 0:
		return View{}, f.error("read", errors.New("negative length"))
	case n == 0:
		return View{}, nil
	}
	k := keyOf(f.id, off>>f.cache.shift)
	s := f.cache.shard(k)
	for {
		i := s.pin(k)
		if i >= 0 {
			s.hits.Add(1)
		} else {
			var err error
			if i, err = f.frame(ctx, s, k); err != nil {
				return View{}, err
			}
		}
		if lo := int(off & int64(f.cache.options.Block-1)); lo < int(s.frames[i].n) {
			return view(s, i, lo, n), nil
		}
		valid := int(s.frames[i].n)
		s.unpin(i)
		if ended, err := f.atEnd(s, i, k, valid, off); err != nil {
			return View{}, err
		} else if ended {
			return View{}, io.EOF
		}
	}
}

// view returns a View of frame i. The caller's reference becomes the View's.
func view(s *shard, i int32, lo, n int) View {
	p := pins.Get().(*pin)
	p.shard, p.frame = s, i
	hi := min(int(s.frames[i].n), lo+min(n, maxBlock))
	return View{pin: p, gen: p.gen.Load(), lo: uint32(lo), hi: uint32(hi)}
}

// frame returns the frame of a block that pin has not found. The caller then has
// a reference to it.
func (f *File) frame(ctx context.Context, s *shard, k key) (int32, error) {
	for {
		r, i, ld := s.claim(f, k, false)
		switch r {
		case closed:
			return -1, f.error("read", os.ErrClosed)
		case bypass:
			return -1, f.error("read", ErrFull)
		case hit:
			s.hits.Add(1)
			return i, nil
		case lead:
			f.load(ctx, s, i, ld)
		case follow:
			if err := f.wait(ctx, s, i, ld); err != nil {
				return -1, err
			}
			if ld.retry {
				s.unpin(i)
				continue
			}
		}
		if err := ld.err; err != nil {
			s.unpin(i)
			return -1, err
		}
		return i, nil
	}
}
