package buffer

import (
	"math/bits"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

const (
	minBlock = 4 << 10 // the alignment that O_DIRECT accepts everywhere
	slabSize = 2 << 20 // 2 MiB: a huge page of amd64 and arm64

	minShift = 12
	maxShift = 21
	// numClasses counts a class for each power of two, and one for all sizes above a slab.
	numClasses = maxShift - minShift + 2
	large      = numClasses - 1
)

// slab is memory from the system, divided into blocks of one class.
type slab struct {
	pool *Pool
	mem  []byte // nil after it was unmapped
	kind Kind
	// reg is the Registrar's number of the memory, or 0 without one. Who swaps it for 0
	// unregisters the memory.
	reg atomic.Uint32

	// The class guards these by its mu; while the slab is in no class, Pool.mu does.
	class *class
	block int             // size of each block
	free  *block          // the free blocks, linked by next
	used  int             // number of blocks in use
	links list.Node[slab] // in class.withFree

	mapped list.Node[slab] // in Pool.slabs. Guarded by Pool.mu
}

// divide divides the slab into blocks of c. Its earlier blocks must be free. Their Buffers are
// stale, so no reference to the memory remains.
func (s *slab) divide(c *class, size int) {
	s.class, s.block, s.free, s.used = c, size, nil, 0
	blocks := make([]block, len(s.mem)/size)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		b.slab, b.off, b.next = s, i*size, s.free
		s.free = b
	}
}

// sizeClass returns the class for n bytes, and the size of its block. In the large class the size
// is a multiple of slabSize.
func sizeClass(n int) (index, size int) {
	if n > slabSize {
		return large, (n + slabSize - 1) &^ (slabSize - 1)
	}
	shift := max(minShift, bits.Len(uint(max(n, 1)-1)))
	return shift - minShift, 1 << shift
}
