package directio

import (
	"cmp"
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/rangelock"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// writeEnd writes b, with the whole file locked. A partial block goes through the page cache,
// unless the file has all of it: a direct write of the block would make the file too long, at least
// for a moment.
func (f *File) writeEnd(ctx context.Context, b []byte, off int64) (n int, err error) {
	r, err := f.inode.lock.Acquire(ctx, 0, rangelock.End)
	if err != nil {
		return 0, err
	}
	defer f.inode.lock.Release(r) // also after a panic: see writeInside
	if f.Past(off, len(b)) {
		return f.writeTail(ctx, b, off)
	}
	size, err := handle.Size(f.file)
	if err != nil {
		return 0, err
	}
	if !f.fits(off, off+int64(len(b)), size) && len(b) <= BounceSmall {
		return f.writeTail(ctx, b, off)
	}
	for n < len(b) && err == nil {
		at := off + int64(n)
		part := b[n:]
		if head := f.block - f.BlockOffset(at); head < f.block {
			part = part[:min(head, len(part))]
		} else if len(part) > f.block {
			part = part[:len(part)&^(f.block-1)]
		}
		var m int
		m, err = f.writePart(ctx, part, at, size)
		n += m
	}
	return n, err
}

// fits reports whether direct transfers alone can make a write.
func (f *File) fits(off, end, size int64) bool {
	return f.BlockOffset(off) == 0 && f.BlockOffset(end) == 0 || f.readable && f.within(off, end, size)
}

// writePart writes whole blocks or a part of one.
func (f *File) writePart(ctx context.Context, b []byte, off, size int64) (n int, err error) {
	if f.fits(off, off+int64(len(b)), size) {
		n, err = f.writeBlocks(ctx, b, off)
		if !errors.Is(err, ErrMisaligned) {
			return n, err
		}
	}
	m, err := f.writeTail(ctx, b[n:], off+int64(n))
	return n + m, err
}

// writeTail writes b through the page cache. Complete pages are written back and dropped. The page
// with the end of the file stays for the next write, until it is complete or until Sync.
//
// A direct write that finds a dirty page writes it back first. But if it finds one when it ends,
// the kernel sets EIO for the next fsync. So the whole file is locked: no write dirties a page
// while a direct write is in progress.
func (f *File) writeTail(ctx context.Context, b []byte, off int64) (int, error) {
	n, err := f.sched.WriteAt(ctx, f.tail, b, off)
	page := int64(os.Getpagesize())
	start, end := off&^(page-1), (off+int64(n))&^(page-1)
	if start == end {
		return n, err
	}
	var failed error
	ended := f.sched.WithPermitContext(ctx, sched.Changes, f.tail, func() {
		failed = f.writeBack(func(fd int) error { return sys.DropPages(fd, start, end-start) })
	})
	if failed != nil {
		return 0, failed
	}
	// If ctx has ended the pages stay, as they do after a buffered write, and a Sync writes them.
	return n, cmp.Or(ended, err)
}

// Change locks the whole file and changes its size, or the blocks that the file system keeps for
// it. That may dirty a page: see writeTail.
func (f *File) Change(do func() error) error {
	r, err := f.inode.lock.Acquire(context.Background(), 0, rangelock.End)
	if err != nil {
		return err
	}
	defer f.inode.lock.Release(r)
	f.sched.WithPermit(sched.Changes, f.tail, func() { err = do() })
	f.inode.forgetSize() // the file may be shorter now
	return err
}

// Reshape is Change for the blocks that the file system keeps for the file. It first writes the
// page cache back: ext4 splits reserved room when it writes a page into a part of it. A concurrent
// allocation would merge the parts again, and the end of the write would log a warning.
func (f *File) Reshape(do func() error) error {
	return f.Change(func() error {
		if f.tailFile != nil {
			if err := f.writeBack(func(fd int) error { return sys.FlushPages(fd, 0, 0) }); err != nil {
				return err
			}
		}
		return do()
	})
}

// writeBack has call write back the page cache of fd, the descriptor of tailFile. If that fails, it
// may have given up pages, which an fsync then does not find: later Syncs fail, as after a
// SyncRange.
func (f *File) writeBack(call func(fd int) error) error {
	var err error
	f.core.Syncer.Writeback(func() int32 {
		err = call(int(f.tailFile.Fd()))
		errno, _ := errors.AsType[syscall.Errno](err)
		return -int32(errno)
	})
	return err
}
