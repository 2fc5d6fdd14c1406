package sluice

import (
	"sync"

	"github.com/sluiceio/sluice/internal/sys"
)

// Buffers for what is not aligned.
const (
	bounceSmall = 64 << 10 // 64 KiB
	bounceLarge = 1 << 20  // 1 MiB
	bounceAlign = 4 << 10  // 4 KiB
)

// bounce is a buffer that is lent.
type bounce struct {
	mem []byte
	all *sync.Pool // where it belongs
}

var smallBounces, largeBounces sync.Pool

// borrow returns a buffer of at least n bytes, at most bounceLarge, that is
// given back with giveBack.
func borrow(n int) *bounce {
	all, size := &smallBounces, bounceSmall
	if n > bounceSmall {
		all, size = &largeBounces, bounceLarge
	}
	if b, ok := all.Get().(*bounce); ok {
		return b
	}
	return &bounce{sys.AlignedBytes(size, bounceAlign), all}
}

func (b *bounce) giveBack() { b.all.Put(b) }
