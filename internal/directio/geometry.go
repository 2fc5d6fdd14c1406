package directio

import (
	"fmt"
	"math"

	"github.com/sluiceio/sluice/internal/sys"
)

// Geometry is the alignment that direct I/O on a file demands.
type Geometry struct {
	block  int    // offsets and lengths are multiples of it, a power of two
	memory int    // addresses are multiples of it; at most block
	source string // where the numbers come from
}

// newGeometry returns a Geometry, or an error if the bounce buffers do not have that alignment.
func newGeometry(block, memory int, source string) (Geometry, error) {
	// The memory behind an aligned block is then aligned, too.
	block = max(block, memory)
	for _, n := range []int{block, memory} {
		if n <= 0 || n&(n-1) != 0 {
			return Geometry{}, Refused{fmt.Sprintf("an alignment of %d is no power of two (%s)", n, source)}
		}
	}
	if memory > bounceAlign || block > BounceSmall {
		return Geometry{}, Refused{fmt.Sprintf("blocks of %d in memory at %d are too large (%s)", block, memory, source)}
	}
	return Geometry{block, memory, source}, nil
}

// Refused is the reason why a file cannot be opened with O_DIRECT. It then uses the page cache.
type Refused struct{ why string }

// Error returns the reason.
func (r Refused) Error() string { return r.why }

// Cached is the geometry of transfers through the page cache. They need no alignment, but whole
// pages are cheapest.
var Cached = Geometry{block: bounceAlign, memory: bounceAlign}

// Block returns the alignment of offsets and lengths, a power of two.
func (g Geometry) Block() int { return g.block }

// String describes the alignment in a line, for people.
func (g Geometry) String() string {
	return fmt.Sprintf("direct: offsets in %d, memory in %d (%s)", g.block, g.memory, g.source)
}

// maxStraight is the most bytes of one transfer. The kernel's own limit, 2 GiB - 4 KiB,
// is not a multiple of every block.
const maxStraight = 1 << 30 // 1 GiB

// piece returns how many bytes of b, which is not empty, to transfer at off as one. straight
// reports whether they are aligned. Otherwise all of them go through a buffer: splitting off the
// edges of a large transfer takes longer than copying it.
func (g Geometry) piece(b []byte, off int64) (n int, straight bool) {
	blockOffset := g.BlockOffset(off)
	if blockOffset == 0 && len(b)&(g.block-1) == 0 && sys.Aligned(b, g.memory) {
		return min(len(b), maxStraight), true
	}
	return min(len(b), bounceLarge-blockOffset), false
}

// BlockOffset returns how far off is from the start of its block.
func (g Geometry) BlockOffset(off int64) int { return int(off & int64(g.block-1)) }

// Floor returns the start of off's block.
func (g Geometry) Floor(off int64) int64 { return off &^ int64(g.block-1) }

// Ceil returns off if a block starts there, else the start of the next block. off is at most
// LastEnd.
func (g Geometry) Ceil(off int64) int64 { return g.Floor(off + int64(g.block) - 1) }

// LastEnd returns the last offset at which a direct transfer can end. See last.go for the bytes
// behind it.
func (g Geometry) LastEnd() int64 { return math.MaxInt64 &^ (largestBlock - 1) }
