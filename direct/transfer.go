package direct

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
)

// transfer calls do, a read or a write of b at off, as op says, while it uses the file.
func (f *File) transfer(ctx context.Context, op string, do func(*directio.File, context.Context, []byte, int64) (int, error), b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); err != nil {
		return 0, f.h.Error(op, err)
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error(op, os.ErrClosed)
	}
	n, err = do(f.direct, ctx, b, off)
	f.h.Core.Done()
	if err != nil {
		return n, f.h.Error(op, err)
	}
	return n, nil
}
