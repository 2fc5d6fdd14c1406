package sluice

import (
	"context"
	"errors"
	"io"
	"math"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
)

// ReadBuffer reads n bytes at off into a [Buffer], without a copy. It has fewer
// bytes only where the file ends before; at the end of the file and beyond
// there is none, and the error is io.EOF. Where the pool's limit
// (Options.BufferMemory) is reached ReadBuffer waits until enough is released,
// or ctx ends. For more than the limit there is an error at once, and for n 0 an
// empty Buffer. The memory is for n bytes also where the file ends before.
//
// Of a read that is not aligned no more than the edges is read in vain: n plus
// two blocks at most.
func (d *DirectFile) ReadBuffer(ctx context.Context, off int64, n int) (Buffer, error) {
	if d == nil {
		return Buffer{}, os.ErrInvalid
	}
	b, err := d.readBuffer(ctx, off, n)
	if errors.Is(err, io.EOF) {
		return Buffer{}, io.EOF
	}
	if err != nil {
		return Buffer{}, d.file.error("read", err)
	}
	return Buffer{b}, nil
}

func (d *DirectFile) readBuffer(ctx context.Context, off int64, n int) (buffer.Buffer, error) {
	switch {
	case off < 0:
		return buffer.Buffer{}, errors.New("negative offset")
	case n < 0:
		return buffer.Buffer{}, errors.New("negative length")
	}
	if core := d.file.core; core != nil {
		if !core.Use() {
			return buffer.Buffer{}, os.ErrClosed
		}
		defer core.Done()
	}
	if n == 0 {
		return buffer.Buffer{}, nil
	}
	at, size := off, n
	if d.direct != nil {
		if off > math.MaxInt64-int64(n)-2*int64(d.direct.block) {
			return buffer.Buffer{}, io.EOF // no file reaches there
		}
		at = d.direct.floor(off)
		size = int(d.direct.ceil(off+int64(n)) - at)
	}
	b, err := d.file.sched.pools.buffers.Get(ctx, size)
	if err != nil {
		return buffer.Buffer{}, err
	}
	m, err := d.fill(ctx, b, at)
	if behind := int(off - at); err == nil && m > behind {
		return b.Slice(behind, min(m, behind+n)), nil
	}
	b.Release()
	if err == nil {
		err = io.EOF
	}
	return buffer.Buffer{}, err
}

// fill reads into b what the file has at off, and returns less than b holds
// where it ends.
func (d *DirectFile) fill(ctx context.Context, b buffer.Buffer, off int64) (n int, err error) {
	switch {
	case d.direct != nil:
		n, err = d.direct.sched.ReadFixed(ctx, d.direct.core, b.Bytes(), off, b.Reg())
		if unsure(err) {
			return d.direct.readBlocks(ctx, b.Bytes(), off)
		}
	case d.file.core != nil:
		n, err = d.file.sched.core.ReadAt(ctx, d.file.core, b.Bytes(), off)
	default:
		n, err = d.file.file.ReadAt(b.Bytes(), off)
	}
	return n, notEOF(err)
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
