package sluice

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/sched"
)

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF. Even then it may have written to all of b.
func (d *DirectFile) ReadAt(b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.readable {
		return d.buffered().ReadAt(b, off)
	}
	return d.readAt(context.Background(), b, off)
}

// ReadAtContext is ReadAt, but returns early if ctx ends; see File.ReadAtContext.
func (d *DirectFile) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.readable {
		return d.buffered().ReadAtContext(ctx, b, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, d.file.h.Error("read", err)
	}
	return d.readAt(ctx, b, off)
}

func (d *DirectFile) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !d.file.h.Core.Use() {
		return 0, d.file.h.Error("read", os.ErrClosed)
	}
	n, err = d.direct.readAt(ctx, b, off)
	d.file.h.Core.Done()
	if err != nil {
		return n, d.file.h.Error("read", err)
	}
	return n, nil
}

// direct is what a DirectFile transfers with. The callers of its methods use the file
// (sched.File.Use).
type direct struct {
	geometry
	sched   *sched.Scheduler
	bounces *buffer.Pool // the Scheduler's
	inode   *inode

	file *os.File    // with O_DIRECT
	core *sched.File // of file

	// The same file without O_DIRECT; nil if it was opened for reading only.
	tailFile *os.File
	tail     *sched.File

	readable bool
	// apart: the file system may keep what was written by descriptor, so that each
	// descriptor needs an fsync.
	apart bool
}

func (d *direct) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := d.beyond(b, off); err != nil {
		return 0, err
	}
	for n < len(b) && err == nil {
		var m int
		m, err = d.readPiece(ctx, b[n:], off+int64(n))
		n += m
	}
	return n, err
}

// beyond returns the error of a read where no file reaches: the end of its last block may
// exceed the largest offset.
func (d *direct) beyond(b []byte, off int64) error {
	switch {
	case off > math.MaxInt64-int64(len(b)):
		return syscall.EINVAL
	case off > math.MaxInt64-int64(len(b))-int64(d.block):
		return io.EOF
	}
	return nil
}

func (d *direct) readPiece(ctx context.Context, b []byte, off int64) (int, error) {
	n, straight := d.piece(b, off)
	if !straight {
		return d.readBounced(ctx, b[:n], off)
	}
	m, err := d.readBlocks(ctx, b[:n], off)
	if m < n && err == nil {
		err = io.EOF
	}
	return m, err
}

func (d *direct) readBounced(ctx context.Context, b []byte, off int64) (int, error) {
	behind := d.blockOffset(off)
	size := int(d.ceil(int64(behind + len(b))))
	buf, err := d.borrow(ctx, size)
	if err != nil {
		return 0, err
	}
	defer buf.Release()
	m, err := d.readBlocks(ctx, buf.Bytes(), off-int64(behind))
	n := copy(b, buf.Bytes()[min(behind, m):m])
	switch {
	case n == len(b):
		return n, nil // what comes behind is not asked for
	case err == nil:
		err = io.EOF
	}
	return n, err
}

// readBlocks reads whole blocks into aligned memory. Where the file ends it returns fewer
// bytes, without an error.
func (d *direct) readBlocks(ctx context.Context, b []byte, off int64) (n int, err error) {
	end := 0 // where the kernel has stopped within a block
	for n < len(b) {
		m, err := d.readOnce(ctx, b[n:], off+int64(n))
		if err != nil {
			return n, err
		}
		n += m
		switch {
		case n == len(b):
			return n, nil
		case m == 0, n == end:
			return max(n, end), nil
		case d.blockOffset(int64(n)) == 0:
			continue
		}
		// A read that stops within a block is at the end of the file, if that has not grown.
		size, err := sizeOf(d.file)
		if err != nil || off+int64(n) >= size {
			return n, err
		}
		end, n = n, int(d.floor(int64(n)))
	}
	return n, nil
}

// readOnce makes one direct transfer. It repeats one that has failed with EIO, if another
// program has truncated the file: a transfer beyond the end may fail so, see beforeEnd.
func (d *direct) readOnce(ctx context.Context, b []byte, off int64) (int, error) {
	b = d.beforeEnd(b, off)
	n, err := d.readSome(ctx, b, off)
	if !errors.Is(err, syscall.EIO) {
		return n, err
	}
	d.inode.size.Store(0)
	if before := d.beforeEnd(b, off); len(before) < len(b) {
		return d.readSome(ctx, before, off)
	}
	return n, err
}

// readSome makes one transfer into b, which may be empty.
func (d *direct) readSome(ctx context.Context, b []byte, off int64) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return d.sched.ReadOnce(ctx, d.core, b, off)
}

// beforeEnd returns the part of b that a direct read at off fills: up to the end
// of the block in which the file ends. Behind that block xfs may have reserved
// room for buffered writes. A direct read that meets such room fails with EIO,
// and the kernel logs a collision of direct I/O with buffered writes.
//
// beforeEnd asks for the size only if the read goes beyond the size that is known.
func (d *direct) beforeEnd(b []byte, off int64) []byte {
	if off+int64(len(b)) <= d.inode.size.Load() {
		return b
	}
	size, err := sizeOf(d.file)
	if err != nil {
		return b // the read itself returns the error
	}
	d.inode.size.Store(size)
	return b[:min(int64(len(b)), max(0, d.ceil(size)-off))]
}

// mustReadAgain reports whether readBlocks must repeat a direct read that has failed: the
// file ended within a block, and grew before that was certain; or it is xfs (readOnce).
func mustReadAgain(err error) bool {
	return errors.Is(err, errMisaligned) || errors.Is(err, syscall.EIO)
}
