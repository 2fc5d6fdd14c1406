package direct

import (
	"context"
	"os"
)

// WriteAt writes b starting at byte offset off and returns how many bytes it
// has written: the first n of b. It returns a non-nil error when n != len(b).
// Bytes between the end of the file and off become zeros.
func (d *File) WriteAt(b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.Writable() {
		return d.buffered().WriteAt(b, off)
	}
	return d.writeAt(context.Background(), b, off)
}

// WriteAtContext is WriteAt, but returns early if ctx ends; see sluice.File.WriteAtContext. That
// includes the time that it waits for another write to the same blocks.
func (d *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.Writable() {
		return d.buffered().WriteAtContext(ctx, b, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, d.h.Error("write", err)
	}
	return d.writeAt(ctx, b, off)
}

func (d *File) writeAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !d.h.Core.Use() {
		return 0, d.h.Error("write", os.ErrClosed)
	}
	n, err = d.direct.WriteAt(ctx, b, off)
	d.h.Core.Done()
	if err != nil {
		return n, d.h.Error("write", err)
	}
	return n, nil
}
