package directio

import (
	"context"
	"errors"
	"io"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
)

// ReadAt reads len(b) bytes at off. It returns io.EOF if the file has fewer.
func (f *File) ReadAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if off > math.MaxInt64-int64(len(b)) {
		return 0, syscall.EINVAL
	}
	for n < len(b) && err == nil {
		var m int
		m, err = f.readPiece(ctx, b[n:], off+int64(n))
		n += m
	}
	return n, err
}

// ReadBuffer reads whole blocks at off into b, memory of a pool. At the end of the file it returns
// fewer bytes than b holds, without an error.
func (f *File) ReadBuffer(ctx context.Context, b buffer.Buffer, off int64) (n int, err error) {
	if f.Past(off, b.Len()) {
		return f.ReadBlocks(ctx, b.Bytes(), off)
	}
	mem := f.BeforeEnd(b.Bytes(), off)
	if len(mem) == 0 {
		return 0, nil
	}
	n, err = f.sched.ReadAtReg(ctx, f.core, mem, off, b.Reg())
	switch {
	case MustReadAgain(err):
		return f.ReadBlocks(ctx, b.Bytes(), off)
	case errors.Is(err, io.EOF):
		return n, nil
	}
	return n, err
}

func (f *File) readPiece(ctx context.Context, b []byte, off int64) (int, error) {
	n, straight := f.piece(b, off)
	if !straight {
		return f.readBounced(ctx, b[:n], off)
	}
	m, err := f.ReadBlocks(ctx, b[:n], off)
	if m < n && err == nil {
		err = io.EOF
	}
	return m, err
}

func (f *File) readBounced(ctx context.Context, b []byte, off int64) (int, error) {
	blockOffset := f.BlockOffset(off)
	size := int(f.Ceil(int64(blockOffset + len(b))))
	buf, err := f.borrow(ctx, size)
	if err != nil {
		return 0, err
	}
	defer buf.Release()
	m, err := f.ReadBlocks(ctx, buf.Bytes(), off-int64(blockOffset))
	n := copy(b, buf.Bytes()[min(blockOffset, m):m])
	switch {
	case n == len(b):
		return n, nil // the caller does not want more
	case err == nil:
		err = io.EOF
	}
	return n, err
}

// ReadBlocks reads whole blocks into aligned memory. At the end of the file it returns fewer bytes,
// without an error. Behind LastEnd it reads any number of bytes.
func (f *File) ReadBlocks(ctx context.Context, b []byte, off int64) (n int, err error) {
	direct := f.beforeLast(len(b), off)
	n, err = f.readBlocks(ctx, b[:direct], off)
	if err != nil || n < direct || n == len(b) {
		return n, err
	}
	left := min(int64(len(b)-n), math.MaxInt64-off-int64(n)) // no file has more
	m, err := f.readLast(ctx, b[n:n+int(left)], off+int64(n))
	return n + m, NotEOF(err)
}

// readBlocks is ReadBlocks up to LastEnd.
func (f *File) readBlocks(ctx context.Context, b []byte, off int64) (n int, err error) {
	end := 0 // where the kernel has stopped within a block
	for n < len(b) {
		m, err := f.readOnce(ctx, b[n:], off+int64(n))
		if err != nil {
			return n, err
		}
		n += m
		switch {
		case n == len(b):
			return n, nil
		case m == 0, n == end:
			return max(n, end), nil
		case f.BlockOffset(int64(n)) == 0:
			continue
		}
		// A read that stops within a block has met the end of the file, unless the file has grown.
		size, err := handle.Size(f.file)
		if err != nil || off+int64(n) >= size {
			return n, err
		}
		end, n = n, int(f.Floor(int64(n)))
	}
	return n, nil
}

// readOnce makes one direct transfer. It repeats a transfer that has failed with EIO because
// another program has truncated the file; see BeforeEnd.
func (f *File) readOnce(ctx context.Context, b []byte, off int64) (int, error) {
	b = f.BeforeEnd(b, off)
	n, err := f.readSome(ctx, b, off)
	if !errors.Is(err, syscall.EIO) {
		return n, err
	}
	f.inode.forgetSize()
	if before := f.BeforeEnd(b, off); len(before) < len(b) {
		return f.readSome(ctx, before, off)
	}
	return n, err
}

// readSome makes one transfer into b, which may be empty.
func (f *File) readSome(ctx context.Context, b []byte, off int64) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return f.sched.ReadOnce(ctx, f.core, b, off)
}

// BeforeEnd returns the part of b that a direct read at off fills: up to the end of the last block
// of the file. Behind that block xfs may have reserved room for buffered writes. A direct read of
// that room fails with EIO, and the kernel logs a collision of direct I/O with buffered writes.
//
// BeforeEnd asks for the size only if the read goes beyond the known size. The read ends at LastEnd
// or before.
func (f *File) BeforeEnd(b []byte, off int64) []byte {
	end := off + int64(len(b))
	// An unreadable file fails in the read itself.
	if end <= f.inode.size.Load() || !f.readable {
		return b
	}
	size, err := f.inode.askSize(func() (int64, error) { return handle.Size(f.file) })
	if err != nil || end <= size {
		return b // the read itself returns the error
	}
	return b[:min(int64(len(b)), max(0, f.Ceil(size)-off))]
}

// MustReadAgain reports whether ReadBlocks must repeat a direct read that has failed: because the
// file has grown over an end within a block, or because of xfs (readOnce).
func MustReadAgain(err error) bool {
	return errors.Is(err, ErrMisaligned) || errors.Is(err, syscall.EIO)
}
