package direct

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
)

// The defaults and limits of streams. The default is the published setting of
// scan-direct-512k, 2.5 MiB in all. Measured: docs/decisions/0013-streams.md.
const (
	streamBuffer     = 512 << 10 // 512 KiB
	streamBuffers    = 5
	streamBufferMost = 1 << 30 // 1 GiB
	streamCountMost  = 1 << 16
)

// maxStreamTransfer is up to how many bytes neighbouring buffers are transferred in one
// request. With many small transfers a device is limited by their number. Measured:
// docs/decisions/0013-streams.md.
const maxStreamTransfer = 128 << 10 // 128 KiB

// streamExtraMemory is how many bytes a stream may take beyond the sum of its buffers:
// the pool rounds each one up.
const streamExtraMemory = 4 << 20 // 4 MiB

// layout is how the memory of a stream is divided.
type layout struct {
	buffer int // bytes of what the user knows as a buffer; a multiple of the file's block
	run    int // bytes of one transfer: one buffer or several
	runs   int // how many runs the stream has at a time
}

// newLayout returns the layout for the user's options, or the error that says which is
// wrong, by the names of the options.
func (f *File) newLayout(sizeName string, size int, countName string, count int) (layout, error) {
	switch {
	case size < 0 || size > streamBufferMost:
		return layout{}, fmt.Errorf("%s %d is not between 0 and %d", sizeName, size, streamBufferMost)
	case count < 0 || count > streamCountMost:
		return layout{}, fmt.Errorf("%s %d is not between 0 and %d", countName, count, streamCountMost)
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
		return layout{}, fmt.Errorf("%s %d: %w of %d (sluice.Options.BufferMemory)", sizeName, size, buffer.ErrTooLarge, limit)
	}
	l := layoutOf(size, count)
	// The pool cannot give more runs than this, and each takes some memory by itself.
	l.runs = int(max(1, min(int64(l.runs), limit/int64(buffer.BlockSize(l.run)))))
	return l, nil
}

// layoutOf divides count buffers into runs. Two buffers or more make at least two runs,
// so that one can be transferred while the other is used.
func layoutOf(size, count int) layout {
	k := max(1, min(maxStreamTransfer/size, count/2))
	l := layout{buffer: size, run: k * size}
	most := (int64(size)*int64(count) + streamExtraMemory) / int64(buffer.BlockSize(l.run))
	l.runs = int(max(1, min(int64(count/k), most)))
	return l
}

// memory gives a stream its Buffers, which are all of one size.
type memory struct {
	pool *buffer.Pool
	size int
}

// tryGet returns a Buffer if there is one without waiting, and if the pool has enough left for
// others.
func (m memory) tryGet() (buffer.Buffer, bool) {
	if !m.pool.Ample(m.size) {
		return buffer.Buffer{}, false
	}
	return m.pool.TryGet(m.size)
}

// get returns a Buffer, and waits for one if need be. A stream that waits has no other Buffer,
// as other streams may be waiting for that.
func (m memory) get(ctx context.Context) (buffer.Buffer, error) { return m.pool.Get(ctx, m.size) }

// blocks returns the geometry that a stream keeps to. Through the page cache none is
// needed, but whole pages are cheapest.
func (f *File) blocks() directio.Geometry {
	if f.direct != nil {
		return f.direct.Geometry
	}
	return directio.Cached
}

// canceledContext is a context that has ended.
var canceledContext = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// pathError returns err as package os would, in an *os.PathError, unless it is in one.
func pathError(d *File, op string, err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return d.h.Error(op, err)
}
