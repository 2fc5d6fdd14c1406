package sluice

import (
	"fmt"
	"math/bits"
)

// Operations are allocated together: 8, 16, 32, 64, 128, and from then on 256 at a
// time, so that a Batch of a few is not dear.
const (
	firstSlab  = 8
	growing    = 5 // slabs, before all are as large
	largeSlab  = firstSlab << growing
	beforeThat = firstSlab * (1<<growing - 1) // operations
)

// place is where operation i is: in which slab, and where there.
func place(i int) (slab, at int) {
	if i >= beforeThat {
		i -= beforeThat
		return growing + i/largeSlab, i % largeSlab
	}
	slab = bits.Len(uint(i/firstSlab+1)) - 1
	return slab, i - firstSlab*(1<<slab-1)
}

// slabSize is how many operations that slab has.
func slabSize(slab int) int { return firstSlab << min(slab, growing) }

// Len is the number of operations.
func (b *Batch) Len() int { return b.n }

// Reset empties the Batch, so that it can be filled again without allocating.
// All BatchOps of before are invalid. It panics while the Batch is performed.
func (b *Batch) Reset() {
	b.notRunning("Reset")
	for i := 0; b.n > 0; i++ {
		used := min(b.n, slabSize(i))
		clear(b.slabs[i][:used])
		b.n -= used
	}
	b.state.Store(batchFilling)
}

// add returns a new operation.
func (b *Batch) add(kind batchKind) *BatchOp {
	b.notRunning("an operation added")
	slab, at := place(b.n)
	if slab == len(b.slabs) {
		b.slabs = append(b.slabs, make([]BatchOp, slabSize(slab)))
	}
	op := &b.slabs[slab][at]
	op.batch, op.kind, op.index = b, kind, int32(b.n)
	b.n++
	return op
}

// notRunning panics while the Batch is performed: what would be changed is used.
func (b *Batch) notRunning(what string) {
	if b.state.Load() == batchRunning {
		panic("sluice: Batch: " + what + " while it is performed")
	}
}

func (b *Batch) at(i int) *BatchOp {
	slab, at := place(i)
	return &b.slabs[slab][at]
}

// At returns operation number i, in the order in which they were added.
func (b *Batch) At(i int) *BatchOp {
	if i < 0 || i >= b.n {
		panic(fmt.Sprintf("sluice: Batch.At(%d) of %d operations", i, b.n))
	}
	return b.at(i)
}
