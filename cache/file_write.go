package cache

import (
	"context"
	"math"
	"os"
)

// WriteAt writes len(b) bytes to the file at byte offset off and returns the
// number of bytes written, as the file's WriteAt does. The blocks that it
// touches leave the cache.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	return f.WriteAtContext(context.Background(), b, off)
}

// WriteAtContext is WriteAt. When ctx ends, the file's WriteAtContext decides; see
// sluice.File.WriteAtContext.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !f.open.Load() {
		return 0, f.error("write", os.ErrClosed)
	}
	// Even on an error some of the bytes may have been written. Until the
	// blocks are dropped, other reads may return old or new bytes. Reads that
	// are in progress then are not cached.
	defer f.Invalidate(off, int64(len(b)))
	return f.file.WriteAtContext(ctx, b, off)
}

// Truncate changes the size of the file. The blocks beyond it leave the cache,
// and so does the block that the new end is in.
func (f *File) Truncate(size int64) error {
	if !f.open.Load() {
		return f.error("truncate", os.ErrClosed)
	}
	if size >= 0 {
		defer f.dropFrom(size >> f.cache.shift)
	}
	return f.file.Truncate(size)
}

// Sync makes all writes durable that have returned, as the file's Sync does.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync. When ctx ends, the file's SyncContext decides; see sluice.File.SyncContext.
func (f *File) SyncContext(ctx context.Context) error {
	if !f.open.Load() {
		return f.error("sync", os.ErrClosed)
	}
	return f.file.SyncContext(ctx)
}

// Invalidate makes later reads of the n bytes at off go to the disk. A program calls it after it
// has changed the file in another way than through this File. Views do not change. If n is not
// positive, or off is negative, nothing happens. math.MaxInt64 for n means all bytes from off on.
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

// dropRange drops the blocks from first to last. It goes through all blocks
// that the file has in the cache.
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
