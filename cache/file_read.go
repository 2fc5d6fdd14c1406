package cache

import (
	"context"
	"errors"
	"io"
	"os"
)

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF, for which the system is asked for its size. The
// rest of b may then have been written to.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	return f.ReadAtContext(context.Background(), b, off)
}

// ReadAtContext is ReadAt for as long as ctx has not ended. Who waits for a
// block that another is reading stops waiting at once; for what the file does,
// see sluice.File.ReadAtContext.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := f.check(ctx); err != nil {
		return 0, err
	}
	if len(b) == 0 || off < 0 {
		return f.file.ReadAtContext(ctx, b, off) // which says what is wrong
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
	if err := ctx.Err(); err != nil {
		return f.error("read", err)
	}
	if !f.open.Load() {
		return f.error("read", os.ErrClosed)
	}
	return nil
}

// readBlock reads what b wants of the block at off, or of several that are not
// there. Without an error it has read something.
func (f *File) readBlock(ctx context.Context, b []byte, off int64) (n int, err error) {
	k := keyOf(f.id, off>>f.cache.shift)
	s := f.cache.shard(k)
	if i := s.pin(k); i >= 0 {
		s.hits.Add(1)
		return f.copyOut(ctx, s, i, k, b, off)
	}
	return f.readSlow(ctx, s, k, b, off)
}

// copyOut copies from frame i to b, and unpins it.
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
	// The file ended here when the block was read.
	ended, err := f.ends(s, i, k, valid, off+int64(n))
	switch {
	case err != nil:
		return n, err
	case ended:
		return n, io.EOF
	}
	m, err := f.file.ReadAtContext(ctx, b[n:want], off+int64(n))
	return n + m, err
}

// ends tells whether there is nothing at off, the file having ended after
// valid bytes of block k when that was read into frame i. If it no longer ends
// there, the block leaves the cache.
func (f *File) ends(s *shard, i int32, k key, valid int, off int64) (bool, error) {
	size, err := f.file.Size()
	if err != nil || size == k.block<<f.cache.shift+int64(valid) {
		return err == nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// One that has come into the same frame in the meantime may go too.
	if s.find(k) == i {
		s.drop(i)
	}
	return size <= off, nil
}

// readSlow is readBlock of a block that pin has not found.
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

// copyLoaded is copyOut for who has waited.
func (f *File) copyLoaded(ctx context.Context, s *shard, i int32, k key, ld *load, b []byte, off int64) (n int, err error) {
	if ld.err == nil {
		return f.copyOut(ctx, s, i, k, b, off)
	}
	n, err = f.part(s, i, ld, b, off)
	s.unpin(i)
	return n, err
}

// part copies what frame i has of b after a load, which is all there is.
func (f *File) part(s *shard, i int32, ld *load, b []byte, off int64) (n int, err error) {
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

// wait waits until the load of frame i has ended, and keeps the reference; or
// until ctx ends, when it gives the reference up.
func (f *File) wait(ctx context.Context, s *shard, i int32, ld *load) error {
	select {
	case <-ld.done:
		return nil
	case <-ctx.Done():
		s.unpin(i)
		return f.error("read", ctx.Err())
	}
}

// fetch reads blocks that are not there, k being the first: to frame i, or
// past the cache if i is -1.
func (f *File) fetch(ctx context.Context, s *shard, k key, i int32, ld *load, b []byte, off int64) (n int, err error) {
	if k.block == f.cache.lastBlock() {
		if i >= 0 {
			// The last block that there could be: its end cannot be told.
			s.finish(f, i, ld, 0, nil)
			s.unpin(i)
		}
		return f.fetchPast(ctx, b, off)
	}
	if mem, staged := f.room(b, off); len(mem) > 0 {
		defer staged.Release()
		return f.fetchRun(ctx, claimed{s, k, i, ld}, mem, b, off)
	}
	if i < 0 {
		return f.fetchPast(ctx, b, off)
	}
	f.load(ctx, s, i, ld)
	n, err = f.part(s, i, ld, b, off)
	s.unpin(i)
	return n, err
}

// fetchPast reads what b wants of one block, which gets no frame.
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
			s.unpin(i) // the caller does not come to it
		}
	}()
	n, err = f.file.ReadAtContext(ctx, s.memory(i), ld.block<<f.cache.shift)
	err = failure(n, f.cache.options.Block, err)
}
