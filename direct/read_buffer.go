package direct

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
)

// ReadBuffer reads n bytes at off into a Buffer, without a copy. The caller must release the
// Buffer. It has fewer bytes only at the end of the file; behind the end there is no Buffer, and
// the error is io.EOF. If the Scheduler's pool is full, ReadBuffer waits until Buffers are
// released, ctx ends, or the Scheduler is closed; Close of the file does not end that wait. If n
// exceeds the pool, it fails at once.
func (f *File) ReadBuffer(ctx context.Context, off int64, n int) (Buffer, error) {
	if f.isNil() {
		return Buffer{}, os.ErrInvalid
	}
	b, err := f.readBuffer(ctx, off, n)
	if errors.Is(err, io.EOF) {
		return Buffer{}, io.EOF
	}
	if err != nil {
		return Buffer{}, f.h.Error("read", err)
	}
	return Buffer{b}, nil
}

func (f *File) readBuffer(ctx context.Context, off int64, n int) (buffer.Buffer, error) {
	if ctx == nil {
		return buffer.Buffer{}, handle.ErrNilContext
	}
	if err := handle.CheckRange(off, int64(n)); err != nil {
		return buffer.Buffer{}, err
	}
	core := f.h.IO
	if core != nil && core.Closing() {
		return buffer.Buffer{}, os.ErrClosed
	}
	switch {
	case n == 0:
		return buffer.Buffer{}, nil
	case int64(n) > math.MaxInt64-off:
		return buffer.Buffer{}, syscall.EINVAL // as from pread(2)
	}
	at, size := off, n
	if f.direct != nil {
		at = f.direct.Floor(off)
		end := min(off-at+int64(n), f.direct.LastEnd()) // more than any pool has
		size = int(min(f.direct.Ceil(end), math.MaxInt))
	}
	b, err := f.h.Sched.Buffers.Get(ctx, size)
	if err != nil {
		return buffer.Buffer{}, err
	}
	if core != nil {
		// Use comes after Get: Close waits for calls that use the file, and the goroutine that
		// calls Close may hold the memory that Get waits for.
		if !core.Use() {
			b.Release()
			return buffer.Buffer{}, os.ErrClosed
		}
		defer core.Done()
	}
	m, err := f.fill(ctx, b, at)
	if blockOffset := int(off - at); err == nil && m > blockOffset {
		return b.Slice(blockOffset, min(m, blockOffset+n)), nil
	}
	b.Release()
	if err == nil {
		err = io.EOF
	}
	return buffer.Buffer{}, err
}

// fill reads from off into b. At the end of the file it returns fewer bytes than b holds.
func (f *File) fill(ctx context.Context, b buffer.Buffer, off int64) (n int, err error) {
	switch {
	case f.direct != nil:
		return f.direct.ReadBuffer(ctx, b, off)
	case f.h.IO != nil:
		n, err = f.h.Sched.Core.ReadAt(ctx, f.h.IO, b.Bytes(), off)
	default:
		n, err = f.h.OS.ReadAt(b.Bytes(), off)
	}
	return n, directio.NotEOF(err)
}
