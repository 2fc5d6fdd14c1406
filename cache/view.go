package cache

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// ErrFull is in the error of [File.View] if Views and operations in progress use all memory, and
// the block is not cached. ReadAt still works then.
var ErrFull = errors.New("all blocks of the cache are in use")

// View is a part of a file in the cache's memory. It is a value. All its copies are the same View:
// release one of them, once. After that, Bytes of all copies returns nil, and Release does nothing.
// The zero View is a released one.
type View struct {
	pin    *pin
	gen    uint32
	lo, hi uint32
}

// pin is a View's reference to a frame. Later Views re-use it.
type pin struct {
	// gen is the pin's generation. The goroutine that releases a View increments it. A View with
	// another generation is stale.
	gen   atomic.Uint32
	shard *shard
	frame int32
}

var pins = sync.Pool{New: func() any { return new(pin) }}

// Bytes returns the bytes of the View, or nil after Release. The caller must not write to them, nor
// read them after Release.
func (v View) Bytes() []byte {
	if v.pin == nil || v.pin.gen.Load() != v.gen {
		return nil
	}
	return v.pin.shard.memory(v.pin.frame)[v.lo:v.hi:v.hi]
}

// Release ends the View. Its memory may then be re-used.
func (v View) Release() {
	if v.pin == nil || !v.pin.gen.CompareAndSwap(v.gen, v.gen+1) {
		return
	}
	s, i := v.pin.shard, v.pin.frame
	pins.Put(v.pin)
	s.unpin(i)
}

// View returns up to n bytes of the file at off, without copying them: fewer at the end of the file
// or of a block, but at least one if n is not 0. At the end of the file the error is io.EOF; if the
// block gets no memory, it wraps ErrFull. The bytes do not change, even if the file does. The block
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
	lo := int(off - f.offset(k))
	hi := lo + min(n, f.cache.options.Block-lo)
	i, err := f.pin(ctx, s, k)
	if err == nil && int(s.frames[i].n) < hi {
		i, err = f.pinNewer(ctx, s, i, k, off)
	}
	if err != nil {
		return View{}, err
	}
	if hi = min(hi, int(s.frames[i].n)); hi <= lo {
		s.unpin(i)
		return View{}, io.EOF
	}
	return view(s, i, lo, hi), nil
}

// view returns a View of frame i. It takes over the caller's reference.
func view(s *shard, i int32, lo, hi int) View {
	p := pins.Get().(*pin)
	p.shard, p.frame = s, i
	return View{pin: p, gen: p.gen.Load(), lo: uint32(lo), hi: uint32(hi)}
}

// pin returns the frame of a block, with a reference for the caller.
func (f *File) pin(ctx context.Context, s *shard, k key) (int32, error) {
	if i := s.pin(k); i >= 0 {
		s.hits.Add(1)
		return i, nil
	}
	return f.frame(ctx, s, k)
}

// pinNewer returns the frame of block k with bytes at off. Frame i holds the block as it was when
// the file ended before off. If the file is longer now, pinNewer reads the block again. The
// caller's reference to i moves to the returned frame; on an error it ends.
func (f *File) pinNewer(ctx context.Context, s *shard, i int32, k key, off int64) (int32, error) {
	valid := int(s.frames[i].n)
	size, err := f.checkEnd(s, i, k, valid)
	if err == nil && size <= max(off, f.offset(k)+int64(valid)) {
		return i, nil
	}
	s.unpin(i)
	if err != nil {
		return -1, err
	}
	// Once is enough: the new block is read after the View's call has begun. A loop would not end
	// for a file whose size is more than reads return, as in /sys.
	return f.pin(ctx, s, k)
}

// frame returns the frame of a block that pin did not find, with a reference for the caller.
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
