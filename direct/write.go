package direct

import (
	"context"

	"github.com/sluiceio/sluice/internal/directio"
)

// WriteAt writes b at byte offset off and returns how many bytes it has written: the first n of b.
// If n != len(b) the error is not nil. Bytes between the end of the file and off become zeros.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Writable() {
		return f.buffered().WriteAt(b, off)
	}
	return f.transfer(context.Background(), "write", (*directio.File).WriteAt, b, off)
}

// WriteAtContext is WriteAt, but returns early if ctx ends, also while it waits for another write
// to the same blocks; see sluice.File.WriteAtContext.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f == nil || f.direct == nil || off < 0 || len(b) == 0 || !f.direct.Writable() {
		return f.buffered().WriteAtContext(ctx, b, off)
	}
	return f.transfer(ctx, "write", (*directio.File).WriteAt, b, off)
}
