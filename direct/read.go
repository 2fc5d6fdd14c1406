package direct

import (
	"context"

	"github.com/sluiceio/sluice/internal/directio"
)

// ReadAt reads len(b) bytes at byte offset off and returns how many it has read. If n < len(b) the
// error is not nil; at the end of the file it is io.EOF. Even then it may have written to all of b.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Readable() {
		return f.buffered().ReadAt(b, off)
	}
	return f.transfer(context.Background(), "read", (*directio.File).ReadAt, b, off)
}

// ReadAtContext is ReadAt, but returns early if ctx ends; see sluice.File.ReadAtContext.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Readable() {
		return f.buffered().ReadAtContext(ctx, b, off)
	}
	return f.transfer(ctx, "read", (*directio.File).ReadAt, b, off)
}
