package cache

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// ErrFull is wrapped by what [File.View] returns when the block is not in the
// cache, and all memory that it could go to is in use by Views and operations
// in progress. ReadAt works all the same.
var ErrFull = errors.New("all blocks of the cache are in use")

// View is bytes of a file, in the memory of the cache. It is a value: copies
// are the same View, which is to be released once. When it is, all of them are
// stale: Bytes is nil, and Release does nothing. So it is for the zero View.
type View struct {
	pin    *pin
	gen    uint32
	lo, hi uint32
}

// pin is a View's reference to a frame. It is used again for another View.
type pin struct {
	// gen is the generation of its use; a View of an earlier one is stale.
	// Who raises it has ended the View.
	gen   atomic.Uint32
	shard *shard
	frame int32
}

var pins = sync.Pool{New: func() any { return new(pin) }}

// Bytes returns the bytes, which are not to be written to, and are valid until
// Release.
func (v View) Bytes() []byte {
	if v.pin == nil || v.pin.gen.Load() != v.gen {
		return nil
	}
	return v.pin.shard.memory(v.pin.frame)[v.lo:v.hi:v.hi]
}

// Len is the length of Bytes, also when they are no longer there.
func (v View) Len() int { return int(v.hi - v.lo) }

// Release ends the View.
func (v View) Release() {
	if v.pin == nil || !v.pin.gen.CompareAndSwap(v.gen, v.gen+1) {
		return
	}
	s, i := v.pin.shard, v.pin.frame
	pins.Put(v.pin)
	s.unpin(i)
}

// View returns the bytes from off on without a copy: n of them, or fewer if
// the block that off lies in ends before, or the file does; but at least one,
// if n is not 0. At the end of the file the error is io.EOF. What the View
// shows does not change, also when the file does; and its block counts against
// the budget until it is released.
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
		if ended, err := f.ends(s, i, k, valid, off); err != nil {
			return View{}, err
		} else if ended {
			return View{}, io.EOF
		}
	}
}

// view makes a View of frame i, and takes the caller's reference over.
func view(s *shard, i int32, lo, n int) View {
	p := pins.Get().(*pin)
	p.shard, p.frame = s, i
	hi := min(int(s.frames[i].n), lo+min(n, maxBlock))
	return View{pin: p, gen: p.gen.Load(), lo: uint32(lo), hi: uint32(hi)}
}

// frame returns the frame of a block that pin has not found, with a reference.
func (f *File) frame(ctx context.Context, s *shard, k key) (int32, error) {
	for {
		r, i, ld := s.claim(f, k, false)
		switch r {
		case closed:
			return -1, f.error("read", os.ErrClosed)
		case pass:
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
