package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
)

// Sizes of the buffers for transfers that are not aligned, and their alignment.
const (
	bounceSmall = 64 << 10 // 64 KiB
	bounceLarge = 1 << 20  // 1 MiB
	bounceAlign = 4 << 10  // 4 KiB
)

// borrow returns a buffer of n bytes, at most bounceLarge, which the caller must
// release. It waits while too many are in use, or until ctx ends.
func (d *direct) borrow(ctx context.Context, n int) (buffer.Buffer, error) {
	return d.bounces.Get(ctx, n)
}
