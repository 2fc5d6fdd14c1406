package direct

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
)

// The defaults and limits of streams. The default is the published setting of scan-direct-512k, 2.5
// MiB in all. Measured: docs/decisions/0013-streams.md.
const (
	streamBuffer     = 512 << 10 // 512 KiB
	streamBuffers    = 5
	streamBufferMost = 1 << 30 // 1 GiB
	streamCountMost  = 1 << 16
)

// newLayout returns the layout for the user's options. The error calls a wrong option by sizeName
// or countName.
func (f *File) newLayout(sizeName string, size int, countName string, count int) (buffer.Layout, error) {
	switch {
	case size < 0 || size > streamBufferMost:
		return buffer.Layout{}, fmt.Errorf("%s %d is not between 0 and %d", sizeName, size, streamBufferMost)
	case count < 0 || count > streamCountMost:
		return buffer.Layout{}, fmt.Errorf("%s %d is not between 0 and %d", countName, count, streamCountMost)
	}
	if size == 0 {
		size = streamBuffer
	}
	if count == 0 {
		count = streamBuffers
	}
	size = int(f.blocks().Ceil(int64(size)))
	limit := f.h.Sched.Buffers.Limit()
	if int64(buffer.BlockSize(size)) > limit {
		return buffer.Layout{}, fmt.Errorf("%s %d: %w of %d (sluice.Options.BufferMemory)", sizeName, size, buffer.ErrTooLarge, limit)
	}
	return f.h.Sched.Buffers.Divide(size, count), nil
}

// blocks returns the geometry of a stream's requests. The page cache needs none, but whole pages
// are cheapest.
func (f *File) blocks() directio.Geometry {
	if f.direct != nil {
		return f.direct.Geometry
	}
	return directio.Cached
}

// stream returns f as the file of a Reader or a Writer.
func (f *File) stream(ctx context.Context) directio.Stream {
	return directio.Stream{
		Owner: f, File: f.h, Direct: f.direct, Class: f.classIn(ctx), Ends: ctx.Done() != nil,
	}
}

// pathError returns err in an *os.PathError, as package os would, unless it has one already.
func pathError(d *File, op string, err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return d.h.Error(op, err)
}
