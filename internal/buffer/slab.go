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
	// numClasses is a class for each power of two, and one for what is larger
	// than a slab.
	numClasses = maxShift - minShift + 2
	large      = numClasses - 1
)

// slab is memory from the system, all of whose blocks are of one class.
type slab struct {
	pool *Pool
	mem  []byte // nil once it has been given back
	kind Kind
	// reg is 0, or 1 and the index that the Registrar knows the memory by.
	// Written by who maps the slab and by Close.
	reg atomic.Uint32

	// The following are the class's, under its mu; between classes they are
	// the Pool's, under its mu.
	class *class
	block int             // size of each block
	free  *block          // those that nobody has, linked by next
	used  int             // how many somebody has
	open  list.Node[slab] // in class.open

	mapped list.Node[slab] // in Pool.slabs. Under Pool.mu
}

// format cuts the slab into blocks of c. Its old blocks, if any, are free and
// their generations past, so that nobody reaches the memory by one of them.
func (s *slab) format(c *class, size int) {
	s.class, s.block, s.free, s.used = c, size, nil, 0
	blocks := make([]block, len(s.mem)/size)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		b.slab, b.off, b.next = s, i*size, s.free
		s.free = b
	}
}

// fit returns the class for n bytes, and the size of the block that is used:
// of the large class, a multiple of a slab's.
func fit(n int) (index, size int) {
	if n > slabSize {
		return large, (n + slabSize - 1) &^ (slabSize - 1)
	}
	shift := max(minShift, bits.Len(uint(max(n, 1)-1)))
	return shift - minShift, 1 << shift
}
