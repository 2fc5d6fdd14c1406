package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/sched"
)

// readVec is ReadAtContext into several buffers, one after the other.
func (f *File) readVec(ctx context.Context, bufs [][]byte, off int64) (n int, err error) {
	if f.h.Core == nil || off < 0 {
		return each(bufs, off, func(b []byte, off int64) (int, error) { return f.ReadAtContext(ctx, b, off) })
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	defer f.h.Core.Done()
	n, err = f.h.Sched.Core.ReadVec(ctx, f.h.Core, sched.VecOf(nil, bufs), off)
	return n, f.h.Error("read", err)
}

// writeVec is WriteAtContext of several buffers, one after the other.
func (f *File) writeVec(ctx context.Context, bufs [][]byte, off int64) (n int, err error) {
	if f.h.Core == nil || off < 0 || f.h.Core.Appends() {
		return each(bufs, off, func(b []byte, off int64) (int, error) { return f.WriteAtContext(ctx, b, off) })
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	defer f.h.Core.Done()
	n, err = f.h.Sched.Core.WriteVec(ctx, f.h.Core, sched.VecOf(nil, bufs), off)
	return n, f.h.Error("write", err)
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
