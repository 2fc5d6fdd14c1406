package directio

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
)

// BounceSmall is the most bytes that are better copied as a whole, and written through the page
// cache at the end of a file, than cut at blocks.
const BounceSmall = 64 << 10 // 64 KiB

// bounceLarge is the most bytes of an unaligned transfer. bounceAlign is the alignment of its
// buffer.
const (
	bounceLarge = 1 << 20 // 1 MiB
	bounceAlign = 4 << 10 // 4 KiB
)

// borrow returns a buffer of n bytes, at most bounceLarge, which the caller must release. It waits
// while calls of the same class to the same device hold too many, or until ctx ends.
func (f *File) borrow(ctx context.Context, n int) (buffer.Lease[handle.BounceUser], error) {
	user := handle.BounceUser{Device: f.sched.DeviceOf(f.core).Number, Class: f.sched.ClassOf(ctx, f.core)}
	return f.bounces.Get(ctx, user, n)
}
