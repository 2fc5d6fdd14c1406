package batch

import (
	"fmt"
	"math/bits"
)

// Operations are allocated in slabs of 4, 8, 16, 32, 64, 128, and then always 256, so that a Batch
// of a few operations needs little memory.
const (
	firstSlab  = 4
	growing    = 6 // slabs that grow
	largeSlab  = firstSlab << growing
	beforeThat = firstSlab * (1<<growing - 1) // the operations in them
)

// place returns the slab of operation i, and its index there.
func place(i int) (slab, at int) {
	if i >= beforeThat {
		i -= beforeThat
		return growing + i/largeSlab, i % largeSlab
	}
	slab = bits.Len(uint(i/firstSlab+1)) - 1
	return slab, i - firstSlab*(1<<slab-1)
}

// slabSize returns how many operations a slab has.
func slabSize(slab int) int { return firstSlab << min(slab, growing) }

// Len returns the number of operations.
func (b *Batch) Len() int { return b.n }

// Reset empties the Batch, so that it can be filled again without allocating. Its Chains, Targets
// and Ops are invalid then. Reset panics while the Batch is performed.
func (b *Batch) Reset() {
	b.notRunning("Reset")
	for i := 0; b.n > 0; i++ {
		used := min(b.n, slabSize(i))
		clear(b.slabs[i][:used])
		b.n -= used
	}
	clear(b.last)
	b.last, b.chains, b.onFiles, b.wrong = b.last[:0], 0, false, nil
	b.age++
	b.reused = true
	b.state.Store(filling)
}

// newOp returns a new operation, which is in no chain.
func (b *Batch) newOp(kind kind) *Op {
	slab, at := place(b.n)
	if slab == len(b.slabs) {
		b.slabs = append(b.slabs, make([]Op, slabSize(slab)))
	}
	op := &b.slabs[slab][at]
	op.batch, op.kind, op.index = b, kind, int32(b.n)
	b.n++
	return op
}

// notRunning panics while the Batch is performed, as its operations are in use.
func (b *Batch) notRunning(what string) {
	if b.state.Load() == running {
		panic("sluice: Batch: " + what + " while it is performed")
	}
}

// op returns operation i.
func (b *Batch) op(i int) *Op {
	slab, at := place(i)
	return &b.slabs[slab][at]
}

// Op returns operation i, in the order in which they were added, from 0.
func (b *Batch) Op(i int) *Op {
	if i < 0 || i >= b.n {
		panic(fmt.Sprintf("sluice: Batch.Op(%d) of %d operations", i, b.n))
	}
	return b.op(i)
}
