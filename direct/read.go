package direct

import (
	"context"
	"os"
)

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF. Even then it may have written to all of b.
func (d *File) ReadAt(b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.Readable() {
		return d.buffered().ReadAt(b, off)
	}
	return d.readAt(context.Background(), b, off)
}

// ReadAtContext is ReadAt, but returns early if ctx ends; see sluice.File.ReadAtContext.
func (d *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.Readable() {
		return d.buffered().ReadAtContext(ctx, b, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, d.h.Error("read", err)
	}
	return d.readAt(ctx, b, off)
}

func (d *File) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !d.h.Core.Use() {
		return 0, d.h.Error("read", os.ErrClosed)
	}
	n, err = d.direct.ReadAt(ctx, b, off)
	d.h.Core.Done()
	if err != nil {
		return n, d.h.Error("read", err)
	}
	return n, nil
}
