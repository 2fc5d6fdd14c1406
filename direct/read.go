package direct

import (
	"context"
	"os"
)

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF. Even then it may have written to all of b.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Readable() {
		return f.buffered().ReadAt(b, off)
	}
	return f.readAt(context.Background(), b, off)
}

// ReadAtContext is ReadAt, but returns early if ctx ends; see sluice.File.ReadAtContext.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Readable() {
		return f.buffered().ReadAtContext(ctx, b, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, f.h.Error("read", err)
	}
	return f.readAt(ctx, b, off)
}

func (f *File) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !f.h.Core.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.direct.ReadAt(ctx, b, off)
	f.h.Core.Done()
	if err != nil {
		return n, f.h.Error("read", err)
	}
	return n, nil
}
