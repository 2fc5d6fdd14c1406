package sluice

import (
	"fmt"

	"github.com/sluiceio/sluice/internal/sys"
)

// geometry is what direct I/O on a file demands.
type geometry struct {
	block  int    // offsets and lengths are multiples of it, a power of two
	memory int    // so are addresses; at most block
	source string // who says so
}

// newGeometry refuses what the buffers are not made for.
func newGeometry(block, memory int, source string) (geometry, error) {
	// The memory behind a block that is aligned is then aligned too.
	block = max(block, memory)
	for _, n := range []int{block, memory} {
		if n <= 0 || n&(n-1) != 0 {
			return geometry{}, refused{fmt.Sprintf("an alignment of %d is no power of two (%s)", n, source)}
		}
	}
	if memory > bounceAlign || block > bounceSmall {
		return geometry{}, refused{fmt.Sprintf("blocks of %d in memory at %d are too large (%s)", block, memory, source)}
	}
	return geometry{block, memory, source}, nil
}

func (g geometry) String() string {
	return fmt.Sprintf("direct: offsets in %d, memory in %d (%s)", g.block, g.memory, g.source)
}

// straightLeast is from where on it is worth splitting edges off, which costs
// transfers, rather than copying all.
const straightLeast = 256 << 10 // 256 KiB

// straightMost is the most in one transfer: the kernel's own limit, 2 GiB -
// 4 KiB, is not a multiple of all blocks.
const straightMost = 1 << 30 // 1 GiB

// piece tells how many bytes of b, which is not empty, are to be transferred
// at off as one, and whether straight, being aligned, or through a buffer.
func (g geometry) piece(b []byte, off int64) (n int, straight bool) {
	behind := g.behind(off)
	if behind == 0 && len(b) >= g.block && sys.Aligned(b, g.memory) {
		n := len(b) &^ (g.block - 1)
		if n == len(b) || n >= straightLeast {
			return min(n, straightMost), true
		}
	}
	if head := g.block - behind; behind > 0 && len(b) >= head+straightLeast && sys.Aligned(b[head:], g.memory) {
		return head, false
	}
	return min(len(b), bounceLarge-behind), false
}

// behind is how far off is behind the start of its block.
func (g geometry) behind(off int64) int { return int(off & int64(g.block-1)) }

// floor is where off's block starts.
func (g geometry) floor(off int64) int64 { return off &^ int64(g.block-1) }

// ceil is off, or where the next block starts.
func (g geometry) ceil(off int64) int64 { return g.floor(off + int64(g.block) - 1) }
