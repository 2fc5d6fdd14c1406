package buffer

import (
	"math/bits"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

const (
	minBlock = 4 << 10 // 4 KiB: O_DIRECT takes this alignment everywhere
	slabSize = 2 << 20 // 2 MiB: a huge page of amd64 and arm64

	minShift = 12
	maxShift = 21
	// numClasses has a class for each power of two, and one for everything larger
	// than a slab.
	numClasses = maxShift - minShift + 2
	large      = numClasses - 1
)

// slab is memory from the system, divided into blocks of one class.
type slab struct {
	pool *Pool
	mem  []byte // nil after it went back to the system
	kind Kind
	// reg is the Registrar's index of the memory plus 1; 0 if it has none. It is
	// written under Pool.mu.
	reg atomic.Uint32

	// The class uses these, under its mu; while the slab is in no class, the Pool
	// does, under its own.
	class *class
	block int             // size of each block
	free  *block          // the free blocks, linked by next
	used  int             // number of blocks in use
	links list.Node[slab] // in class.withFree

	mapped list.Node[slab] // in Pool.slabs. Protected by Pool.mu
}

// divide divides the slab into blocks of c. Blocks that it had before are free, and Buffers
// of them stale, so that nothing refers to the memory by these.
func (s *slab) divide(c *class, size int) {
	s.class, s.block, s.free, s.used = c, size, nil, 0
	blocks := make([]block, len(s.mem)/size)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		b.slab, b.off, b.next = s, i*size, s.free
		s.free = b
	}
}

// sizeClass returns the class for n bytes, and the size of its block. In the large class that is
// a multiple of slabSize.
func sizeClass(n int) (index, size int) {
	if n > slabSize {
		return large, (n + slabSize - 1) &^ (slabSize - 1)
	}
	shift := max(minShift, bits.Len(uint(max(n, 1)-1)))
	return shift - minShift, 1 << shift
}
