package batch

import (
	"context"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/iopath"
)

// readVec is f.ReadAtContext into several buffers, one after the other.
func readVec(ctx context.Context, f *sluice.File, bufs [][]byte, off int64) (n int, err error) {
	h := inside.File(f)
	if h.Core == nil || off < 0 {
		return each(bufs, off, func(b []byte, off int64) (int, error) {
			return f.ReadAtContext(ctx, b, off)
		})
	}
	if !h.Core.Use() {
		return 0, h.Error("read", os.ErrClosed)
	}
	defer h.Core.Done()
	n, err = h.Sched.Core.ReadVec(ctx, h.Core, iopath.VecOf(nil, bufs), off)
	return n, h.Error("read", err)
}

// writeVec is f.WriteAtContext of several buffers, one after the other.
func writeVec(ctx context.Context, f *sluice.File, bufs [][]byte, off int64) (n int, err error) {
	h := inside.File(f)
	if h.Core == nil || off < 0 || h.Core.Appends() {
		return each(bufs, off, func(b []byte, off int64) (int, error) {
			return f.WriteAtContext(ctx, b, off)
		})
	}
	if !h.Core.Use() {
		return 0, h.Error("write", os.ErrClosed)
	}
	defer h.Core.Done()
	n, err = h.Sched.Core.WriteVec(ctx, h.Core, iopath.VecOf(nil, bufs), off)
	return n, h.Error("write", err)
}

// each transfers the buffers one after the other, with one call each.
func each(
	bufs [][]byte, off int64, transfer func(b []byte, off int64) (int, error),
) (n int, err error) {
	for _, b := range bufs {
		var k int
		k, err = transfer(b, off+int64(n))
		if n += k; err != nil {
			break
		}
	}
	return n, err
}
