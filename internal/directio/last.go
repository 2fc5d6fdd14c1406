package directio

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/sluiceio/sluice/internal/sched"
)

// The last bytes up to the largest offset (math.MaxInt64) are in no whole block. Some file systems
// have files of that length (tmpfs, xfs, btrfs). Direct I/O fails there, and xfs loses a direct
// write without an error. So every transfer that ends behind LastEnd goes through the page cache.

// largestBlock is the largest block of a file system.
const largestBlock = 64 << 10 // 64 KiB

// Past reports whether n bytes at off end behind LastEnd.
func (g Geometry) Past(off int64, n int) bool { return off > g.LastEnd()-int64(n) }

// beforeLast returns how many of n bytes at off come before LastEnd.
func (g Geometry) beforeLast(n int, off int64) int {
	return int(min(int64(n), max(0, g.LastEnd()-off)))
}

// readLast reads len(b) bytes at off, behind LastEnd. It returns io.EOF if the file has fewer.
func (f *File) readLast(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f.tail != nil && f.readable {
		return f.sched.ReadAt(ctx, f.tail, b, off)
	}
	if !f.readable {
		return f.sched.ReadAt(ctx, f.core, b, off) // fails as any read of this file
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ended := f.sched.WithPermitContext(ctx, sched.Reads, f.core, func() { n, err = readCached(f.file, b, off) })
	return n, cmp.Or(ended, err)
}

// readCached reads through the page cache, with a descriptor for this one read: a read-only file
// has no descriptor without O_DIRECT.
func readCached(file *os.File, b []byte, off int64) (int, error) {
	cached, err := openCached(file)
	if err != nil {
		return 0, err
	}
	defer cached.Close()
	n, err := cached.ReadAt(b, off)
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		err = failed.Err // the caller names the file
	}
	return n, err
}
