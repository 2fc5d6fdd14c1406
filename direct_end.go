package sluice

import (
	"context"
	"errors"
	"math"

	"github.com/sluiceio/sluice/internal/rangelock"
)

// writeEnd writes b with all of the file locked. What would be a part of a
// block that is not all the file's goes through the page cache: a direct write
// of the block would make the file longer than it is, for a moment at least.
func (d *direct) writeEnd(ctx context.Context, b []byte, off int64) (n int, err error) {
	size, err := sizeOf(d.file)
	if err != nil {
		return 0, err
	}
	if !d.fits(off, off+int64(len(b)), size) && len(b) <= bounceSmall {
		return d.writeTail(ctx, b, off)
	}
	for n < len(b) && err == nil {
		at := off + int64(n)
		part := b[n:]
		if head := d.block - d.behind(at); head < d.block {
			part = part[:min(head, len(part))]
		} else if len(part) > d.block {
			part = part[:len(part)&^(d.block-1)]
		}
		var m int
		m, err = d.writePart(ctx, part, at, size)
		n += m
	}
	return n, err
}

// fits tells whether a write can be made of direct transfers alone.
func (d *direct) fits(off, end, size int64) bool {
	return d.behind(off) == 0 && d.behind(end) == 0 || d.readable && d.within(off, end, size)
}

// writePart writes whole blocks or a part of one.
func (d *direct) writePart(ctx context.Context, b []byte, off, size int64) (n int, err error) {
	if d.fits(off, off+int64(len(b)), size) {
		n, err = d.writeBlocks(ctx, b, off)
		if !errors.Is(err, errUnfit) {
			return n, err
		}
	}
	m, err := d.writeTail(ctx, b[n:], off+int64(n))
	return n + m, err
}

// writeTail writes b through the page cache, and the page cache back: a direct
// write that meets a dirty page makes the kernel set EIO for the next fsync.
func (d *direct) writeTail(ctx context.Context, b []byte, off int64) (int, error) {
	n, err := d.sched.WriteAt(ctx, d.tail, b, off)
	if n == 0 {
		return 0, err
	}
	if err := d.writeBack(off, off+int64(n)); err != nil {
		return 0, err
	}
	return n, err
}

func (d *direct) writeBack(off, end int64) (err error) {
	d.sched.Block(func() { err = writeBack(d.tailFile, off, end) })
	return err
}

// truncate changes the size of the file, which dirties the page of the lesser
// of the two sizes.
func (d *direct) truncate(size int64) error {
	return d.change(func(old int64) (int64, int64, error) {
		edge := max(0, min(old, size))
		return edge, edge + 1, d.file.Truncate(size)
	})
}

// reshape changes what the file system keeps of the n bytes at off, which may
// dirty the pages at their ends, and the one in which the file ends.
func (d *direct) reshape(off, n int64, do func() error) error {
	return d.change(func(size int64) (int64, int64, error) {
		end := off + min(n, math.MaxInt64-off)
		return min(off, size), max(end, size), do()
	})
}

// change calls do, with the size of the file, while all of it is locked, and
// writes back the pages that do says it may have dirtied: from one offset up
// to another.
func (d *direct) change(do func(size int64) (off, end int64, err error)) error {
	r, err := d.inode.lock.Acquire(context.Background(), 0, rangelock.End)
	if err != nil {
		return err
	}
	defer d.inode.lock.Release(r)
	size, err := sizeOf(d.file)
	if err != nil {
		return err
	}
	var off, end int64
	d.sched.Block(func() { off, end, err = do(size) })
	if err != nil || d.tail == nil {
		return err
	}
	return d.writeBack(off, end)
}
