package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/sched"
)

// readVec is ReadAtContext into several buffers, one after the other.
func (f *File) readVec(ctx context.Context, bufs [][]byte, off int64) (n int, err error) {
	if f.core == nil || off < 0 {
		return each(bufs, off, func(b []byte, off int64) (int, error) { return f.ReadAtContext(ctx, b, off) })
	}
	if !f.core.Use() {
		return 0, f.error("read", os.ErrClosed)
	}
	defer f.core.Done()
	n, err = f.sched.core.ReadVec(ctx, f.core, sched.VecOf(nil, bufs), off)
	return n, f.error("read", err)
}

// writeVec is WriteAtContext of several buffers, one after the other.
func (f *File) writeVec(ctx context.Context, bufs [][]byte, off int64) (n int, err error) {
	if f.core == nil || off < 0 || f.core.Appends() {
		return each(bufs, off, func(b []byte, off int64) (int, error) { return f.WriteAtContext(ctx, b, off) })
	}
	if !f.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	defer f.core.Done()
	n, err = f.sched.core.WriteVec(ctx, f.core, sched.VecOf(nil, bufs), off)
	return n, f.error("write", err)
}

// each transfers the buffers one after the other, with one call each.
func each(bufs [][]byte, off int64, transfer func(b []byte, off int64) (int, error)) (n int, err error) {
	for _, b := range bufs {
		var k int
		k, err = transfer(b, off+int64(n))
		if n += k; err != nil {
			break
		}
	}
	return n, err
}
