package sluice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
)

// What streams are by default, and at most. The default is the published setting of
// scan-direct-512k, 2.5 MiB in all. Measured: docs/decisions/0013-streams.md.
const (
	streamBuffer     = 512 << 10 // 512 KiB
	streamBuffers    = 5
	streamBufferMost = 1 << 30 // 1 GiB
	streamCountMost  = 1 << 16
)

// streamRun is up to how many bytes neighbouring buffers are transferred as
// one: a device that has to make many small transfers is limited by their
// number. Measured: docs/decisions/0013-streams.md.
const streamRun = 128 << 10 // 128 KiB

// streamSpare is how much more memory than its buffers together a stream may
// take, in bytes, because blocks of memory are larger than what is asked for.
const streamSpare = 4 << 20 // 4 MiB

// layout is how the memory of a stream is cut.
type layout struct {
	buffer int // what the user knows as a buffer; a multiple of the file's block
	run    int // what is transferred as one: one buffer or some
	runs   int // how many there are at a time
}

// newLayout checks what the user asks for. The names are those of the options.
func (d *DirectFile) newLayout(sizeName string, size int, countName string, count int) (layout, error) {
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
	size = int(d.blocks().ceil(int64(size)))
	limit := d.file.sched.pools.buffers.Limit()
	if int64(buffer.BlockSize(size)) > limit {
		return layout{}, fmt.Errorf("%s %d: %w of %d (Options.BufferMemory)", sizeName, size, buffer.ErrTooLarge, limit)
	}
	l := layoutOf(size, count)
	// More than that cannot be had, and each is some memory by itself.
	l.runs = int(max(1, min(int64(l.runs), limit/int64(buffer.BlockSize(l.run)))))
	return l, nil
}

// layoutOf cuts count buffers into runs. At least two remain, if there are two
// buffers, so that one can be transferred while the other is used.
func layoutOf(size, count int) layout {
	k := max(1, min(streamRun/size, count/2))
	l := layout{buffer: size, run: k * size}
	most := (int64(size)*int64(count) + streamSpare) / int64(buffer.BlockSize(l.run))
	l.runs = int(max(1, min(int64(count/k), most)))
	return l
}

// blocks is the geometry that a stream keeps to. Through the page cache there
// need not be one; whole pages are cheapest.
func (d *DirectFile) blocks() geometry {
	if d.direct != nil {
		return d.direct.geometry
	}
	return geometry{block: bounceAlign, memory: bounceAlign}
}

// withdrawn is a context that has ended.
var withdrawn = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// pathError is err as os would give it, if it is not so already.
func pathError(d *DirectFile, op string, err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return d.file.error(op, err)
}
