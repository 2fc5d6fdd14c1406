package direct

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
)

// transfer calls do, a read or a write of b at off, and keeps the file open until do returns. op
// names the operation in errors.
func (f *File) transfer(ctx context.Context, op string, do func(*directio.File, context.Context, []byte, int64) (int, error), b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); err != nil {
		return 0, f.h.Error(op, err)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error(op, os.ErrClosed)
	}
	// Done is called also if b is memory that cannot be touched, and the program recovers from the
	// panic.
	defer f.h.IO.Done()
	n, err = do(f.direct, ctx, b, off)
	if err != nil {
		return n, f.h.Error(op, err)
	}
	return n, nil
}
