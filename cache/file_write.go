package cache

import (
	"context"
	"math"
	"os"
)

// WriteAt calls WriteAt of the direct file: it writes b at byte offset off and returns the number
// of bytes written. The blocks that it touches leave the cache.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	return f.WriteAtContext(context.Background(), b, off)
}

// WriteAtContext is WriteAt by the direct file's WriteAtContext, which heeds ctx; see
// sluice.File.WriteAtContext.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !f.open.Load() {
		return 0, f.error("write", os.ErrClosed)
	}
	// An error may leave a part of the bytes written. Until the blocks are dropped, other reads may
	// return old or new bytes. A read in progress at that time is not cached.
	defer f.Invalidate(off, int64(len(b)))
	return f.file.WriteAtContext(ctx, b, off)
}

// Truncate changes the size of the file. The block with the new end, and all blocks beyond, leave
// the cache.
func (f *File) Truncate(size int64) error {
	if !f.open.Load() {
		return f.error("truncate", os.ErrClosed)
	}
	if size >= 0 {
		defer f.dropFrom(size >> f.cache.shift)
	}
	return f.file.Truncate(size)
}

// Sync makes all finished writes durable, as the direct file's Sync does.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync by the direct file's SyncContext, which heeds ctx; see
// sluice.File.SyncContext.
func (f *File) SyncContext(ctx context.Context) error {
	if !f.open.Load() {
		return f.error("sync", os.ErrClosed)
	}
	return f.file.SyncContext(ctx)
}

// Invalidate makes later reads of the n bytes at off go to the disk. A program calls it after it
// has changed the file by other means than this File. Views do not change. If n is not positive, or
// off is negative, nothing happens. math.MaxInt64 for n means all bytes from off on.
func (f *File) Invalidate(off, n int64) {
	if off < 0 || n <= 0 || f.file == nil {
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

// dropRange drops the blocks from first to last. It looks at each cached block of the file.
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
