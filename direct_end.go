package sluice

import (
	"context"
	"errors"
	"os"

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

// writeTail writes b through the page cache. The pages that are complete are
// written back, and dropped; the one in which the file may end stays, for the
// next who writes there, until it is complete or until Sync.
//
// A direct write that finds a dirty page writes it back first. Only one that
// finds it dirty when it ends makes the kernel set EIO for the next fsync;
// that nobody dirties a page while a direct write is in progress is what all
// of the file is locked for.
func (d *direct) writeTail(ctx context.Context, b []byte, off int64) (int, error) {
	n, err := d.sched.WriteAt(ctx, d.tail, b, off)
	page := int64(os.Getpagesize())
	start, end := off&^(page-1), (off+int64(n))&^(page-1)
	if start == end {
		return n, err
	}
	var failed error
	d.sched.Block(d.tail, func() { failed = writeBack(d.tailFile, start, end) })
	if failed != nil {
		return 0, failed
	}
	return n, err
}

// change changes the size of the file, or what the file system keeps of it.
// That may dirty a page, see writeTail.
func (d *direct) change(do func() error) error {
	r, err := d.inode.lock.Acquire(context.Background(), 0, rangelock.End)
	if err != nil {
		return err
	}
	d.sched.Block(d.tail, func() { err = do() })
	d.inode.lock.Release(r)
	return err
}
