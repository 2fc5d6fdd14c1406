package sluice

import "fmt"

// slabOps is how many operations are allocated together.
const slabOps = 256

// Len is the number of operations.
func (b *Batch) Len() int { return b.n }

// Reset empties the Batch, so that it can be filled again without allocating.
// All BatchOps of before are invalid.
func (b *Batch) Reset() {
	for _, slab := range b.slabs {
		clear(slab)
	}
	b.n = 0
	b.busy.Store(false)
}

// add returns a new operation.
func (b *Batch) add(kind batchKind) *BatchOp {
	if b.n/slabOps == len(b.slabs) {
		b.slabs = append(b.slabs, make([]BatchOp, slabOps))
	}
	op := b.at(b.n)
	op.batch, op.kind, op.index = b, kind, int32(b.n)
	b.n++
	return op
}

func (b *Batch) at(i int) *BatchOp { return &b.slabs[i/slabOps][i%slabOps] }

// At returns operation number i, in the order in which they were added.
func (b *Batch) At(i int) *BatchOp {
	if i < 0 || i >= b.n {
		panic(fmt.Sprintf("sluice: Batch.At(%d) of %d operations", i, b.n))
	}
	return b.at(i)
}
