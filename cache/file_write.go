package cache

import (
	"context"
	"math"
	"os"
)

// WriteAt writes b to the file at byte offset off, as the file's WriteAt does.
// The blocks that it touches leave the cache.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	return f.WriteAtContext(context.Background(), b, off)
}

// WriteAtContext is WriteAt for as long as ctx has not ended.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !f.open.Load() {
		return 0, f.error("write", os.ErrClosed)
	}
	// Whatever comes of it: some of the bytes may have been written. Until
	// then others may read what was there before, or what will be. What they
	// have begun to read by then is not kept.
	defer f.Invalidate(off, int64(len(b)))
	return f.file.WriteAtContext(ctx, b, off)
}

// Truncate changes the size of the file. The blocks beyond it leave the cache.
func (f *File) Truncate(size int64) error {
	if !f.open.Load() {
		return f.error("truncate", os.ErrClosed)
	}
	if size >= 0 {
		defer f.dropFrom(size >> f.cache.shift)
	}
	return f.file.Truncate(size)
}

// Sync makes what has been written durable, as the file's Sync does.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync for as long as ctx has not ended.
func (f *File) SyncContext(ctx context.Context) error {
	if !f.open.Load() {
		return f.error("sync", os.ErrClosed)
	}
	return f.file.SyncContext(ctx)
}

// Invalidate makes the n bytes from off on be read from the disk again: they
// have been changed by another way than this File. What a View shows stays.
func (f *File) Invalidate(off, n int64) {
	if off < 0 || n <= 0 {
		return
	}
	first, last := off>>f.cache.shift, (off+min(n-1, math.MaxInt64-off))>>f.cache.shift
	if last-first >= int64(f.cache.arena.total) {
		f.dropRange(first, last)
		return
	}
	for b := first; b <= last; b++ {
		k := keyOf(f.id, b)
		s := f.cache.shard(k)
		s.mu.Lock()
		if i := s.find(k); i >= 0 {
			s.drop(i)
		}
		s.mu.Unlock()
	}
}

func (f *File) dropFrom(first int64) { f.dropRange(first, math.MaxInt64) }

// dropRange drops blocks by going through all that the file has.
func (f *File) dropRange(first, last int64) {
	for j := range f.cache.shards {
		s := &f.cache.shards[j]
		s.mu.Lock()
		for i := s.files[f.id]; i != 0; {
			fr := &s.frames[i-1]
			next := fr.nextOfFile
			if b := fr.block.Load(); b >= first && b <= last {
				s.drop(i - 1)
			}
			i = next
		}
		s.mu.Unlock()
	}
}
