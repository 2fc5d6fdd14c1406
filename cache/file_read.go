package cache

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
)

// ReadAt reads len(b) bytes at byte offset off and returns the number of bytes read. If n < len(b)
// the error is not nil; at the end of the file it is io.EOF. An error may leave other bytes in the
// rest of b.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	return f.ReadAtContext(context.Background(), b, off)
}

// ReadAtContext is ReadAt until ctx ends. Then a caller that waits for another goroutine's read
// returns at once. A caller that reads the block itself returns as the direct file's ReadAtContext
// does; see sluice.File.ReadAtContext.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := f.check(ctx); err != nil {
		return 0, err
	}
	if len(b) == 0 || off < 0 || off > math.MaxInt64-int64(len(b)) {
		return f.file.ReadAtContext(ctx, b, off) // returns 0, nil, or the error for off
	}
	for n < len(b) && err == nil {
		var m int
		m, err = f.readBlock(ctx, b[n:], off+int64(n))
		n += m
	}
	if n == len(b) {
		return n, nil
	}
	return n, err
}

func (f *File) check(ctx context.Context) error {
	if ctx == nil {
		return f.error("read", errors.New("the context is nil"))
	}
	if err := ctx.Err(); err != nil {
		return f.error("read", err)
	}
	if !f.open.Load() {
		return f.error("read", os.ErrClosed)
	}
	return nil
}

// readBlock reads from the block at off, or from several adjacent blocks if they are not cached. If
// n is 0 it returns an error.
func (f *File) readBlock(ctx context.Context, b []byte, off int64) (n int, err error) {
	k := keyOf(f.id, off>>f.cache.shift)
	s := f.cache.shard(k)
	if i := s.pin(k); i >= 0 {
		s.hits.Add(1)
		return f.copyOut(ctx, s, i, k, b, off)
	}
	return f.readSlow(ctx, s, k, b, off)
}

// copyOut copies from frame i, which holds block k, to b, and unpins the frame.
func (f *File) copyOut(ctx context.Context, s *shard, i int32, k key, b []byte, off int64) (n int, err error) {
	valid := int(s.frames[i].n)
	lo := int(off & int64(f.cache.options.Block-1))
	want := min(len(b), f.cache.options.Block-lo)
	if lo < valid {
		n = copy(b[:want], s.memory(i)[lo:valid])
	}
	s.unpin(i)
	if n == want {
		return n, nil
	}
	size, err := f.checkEnd(s, i, k, valid)
	switch {
	case err != nil:
		return n, err
	case size <= off+int64(n):
		return n, io.EOF
	}
	m, err := f.file.ReadAtContext(ctx, b[n:want], off+int64(n))
	return n + m, err
}

// checkEnd returns the size of the file. Frame i holds block k, which ended after valid bytes, at
// the end of the file. If the file ends elsewhere now, the block leaves the cache.
func (f *File) checkEnd(s *shard, i int32, k key, valid int) (size int64, err error) {
	size, err = f.file.Size()
	if err != nil || size == f.offset(k)+int64(valid) {
		return size, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Frame i may hold a newer load of block k. To drop that one does no harm.
	if s.find(k) == i {
		s.drop(i)
	}
	return size, nil
}

// offset returns where block k begins in the file.
func (f *File) offset(k key) int64 { return k.block << f.cache.shift }

// readSlow is readBlock for a block that pin did not find.
func (f *File) readSlow(ctx context.Context, s *shard, k key, b []byte, off int64) (n int, err error) {
	for {
		r, i, ld := s.claim(f, k, false)
		switch r {
		case closed:
			return 0, f.error("read", os.ErrClosed)
		case hit:
			s.hits.Add(1)
			return f.copyOut(ctx, s, i, k, b, off)
		case follow:
			if err := f.wait(ctx, s, i, ld); err != nil {
				return 0, err
			}
			if ld.retry {
				s.unpin(i)
				continue
			}
			return f.copyLoaded(ctx, s, i, k, ld, b, off)
		}
		return f.fetch(ctx, s, k, i, ld, b, off)
	}
}

// copyLoaded is copyOut for a goroutine that waited for another goroutine's load.
func (f *File) copyLoaded(ctx context.Context, s *shard, i int32, k key, ld *load, b []byte, off int64) (n int, err error) {
	if ld.err == nil {
		return f.copyOut(ctx, s, i, k, b, off)
	}
	n, err = f.copyPart(s, i, ld, b, off)
	s.unpin(i)
	return n, err
}

// copyPart copies from frame i to b after load ld. If the block has too few bytes
// for b, it returns the load's error, or io.EOF.
func (f *File) copyPart(s *shard, i int32, ld *load, b []byte, off int64) (n int, err error) {
	valid := int(s.frames[i].n)
	lo := int(off & int64(f.cache.options.Block-1))
	want := min(len(b), f.cache.options.Block-lo)
	if lo < valid {
		n = copy(b[:want], s.memory(i)[lo:valid])
	}
	switch {
	case n == want:
		return n, nil
	case ld.err != nil:
		return n, ld.err
	}
	return n, io.EOF
}

// wait waits until load ld of frame i has ended. If ctx ends first, it unpins the frame and returns
// the error.
func (f *File) wait(ctx context.Context, s *shard, i int32, ld *load) error {
	select {
	case <-ld.done:
		return nil
	case <-ctx.Done():
		s.unpin(i)
		return f.error("read", ctx.Err())
	}
}

// fetch reads block k, which is not cached, and perhaps the blocks after it. Block k goes into
// frame i; if i is -1, it is not cached.
func (f *File) fetch(ctx context.Context, s *shard, k key, i int32, ld *load, b []byte, off int64) (n int, err error) {
	if mem, staged := f.runMemory(b, off); len(mem) > 0 {
		defer staged.Release()
		return f.fetchRun(ctx, claimed{s, k, i, ld}, mem, b, off)
	}
	if i < 0 {
		return f.fetchPast(ctx, b, off)
	}
	f.load(ctx, s, i, ld)
	n, err = f.copyPart(s, i, ld, b, off)
	s.unpin(i)
	return n, err
}

// fetchPast reads from one block without caching it.
func (f *File) fetchPast(ctx context.Context, b []byte, off int64) (n int, err error) {
	block := f.cache.options.Block
	lo := int(off & int64(block-1))
	return f.file.ReadAtContext(ctx, b[:min(len(b), block-lo)], off)
}

// load reads a block into frame i.
func (f *File) load(ctx context.Context, s *shard, i int32, ld *load) {
	n, err := 0, errPanicked
	defer func() {
		ld.retry = abandoned(ctx, err)
		s.finish(f, i, ld, n, err)
		if errors.Is(err, errPanicked) {
			s.unpin(i) // the panic goes on, and the caller never reaches its unpin
		}
	}()
	off := ld.block << f.cache.shift
	mem := s.memory(i)
	mem = mem[:min(int64(len(mem)), math.MaxInt64-off)] // the last block ends at the largest offset
	n, err = f.file.ReadAtContext(ctx, mem, off)
	err = blockError(n, len(mem), err)
}
