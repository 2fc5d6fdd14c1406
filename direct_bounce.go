package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
)

// Buffers for what is not aligned.
const (
	bounceSmall = 64 << 10 // 64 KiB
	bounceLarge = 1 << 20  // 1 MiB
	bounceAlign = 4 << 10  // 4 KiB
)

// borrow returns a buffer of n bytes, at most bounceLarge, that is to be
// released. It waits while too many are out, or until ctx ends.
func (d *direct) borrow(ctx context.Context, n int) (buffer.Buffer, error) {
	return d.bounces.Get(ctx, n)
}
