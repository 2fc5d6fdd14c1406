package buffer

import (
	"fmt"
	"math"
	"sync/atomic"
)

// Buffer is a reference to memory of a Pool. It is a value: copies are the
// same reference, and Retain makes another one. The zero value has no memory;
// all methods work on it.
type Buffer struct {
	block  *block
	gen    uint32
	lo, hi int // of the block's memory
}

// block is memory that is given out as a whole.
type block struct {
	// word says who has the block:
	//
	//	bits 63–32  generation of its use; a handle of an earlier one is stale
	//	bits 31–0   references; 0 while the block is free
	//
	// The generation passes in the same step in which the references become
	// 0. It comes round after 2^32 uses of one block.
	word atomic.Uint64
	slab *slab
	off  int    // in the slab's memory
	next *block // in the slab's free list. Under class.mu
}

const refsMask = math.MaxUint32

// Bytes returns the memory, which is the caller's until the last reference is
// released; of a stale Buffer, nil. It is aligned to 4 KiB at least, unless
// Slice has begun elsewhere.
func (b Buffer) Bytes() []byte {
	if !b.valid("Bytes") {
		return nil
	}
	mem := b.block.slab.mem[b.block.off:]
	return mem[b.lo:b.hi:b.hi]
}

// Len is the length of Bytes, in bytes.
func (b Buffer) Len() int { return b.hi - b.lo }

// Cap is how long Slice can make the Buffer: up to the end of its memory.
func (b Buffer) Cap() int {
	if !b.valid("Cap") {
		return 0
	}
	return b.block.slab.block - b.lo
}

// Slice returns the part of b from lo to hi, which is at most Cap. It is the
// same reference, not one more.
func (b Buffer) Slice(lo, hi int) Buffer {
	if lo < 0 || hi < lo || hi > b.Cap() {
		panic(fmt.Sprintf("buffer: Slice(%d, %d) of a Buffer with room for %d", lo, hi, b.Cap()))
	}
	b.lo, b.hi = b.lo+lo, b.lo+hi
	return b
}

// Retain makes one more reference, which is to be released too, and returns
// it. Of a stale Buffer it returns a stale one.
func (b Buffer) Retain() Buffer {
	if b.block == nil {
		return b
	}
	for {
		w := b.block.word.Load()
		switch {
		case uint32(w>>32) != b.gen:
			misuse("Retain")
			return b
		case w&refsMask == refsMask:
			panic("buffer: 2^32 references to one Buffer")
		}
		if b.block.word.CompareAndSwap(w, w+1) {
			return b
		}
	}
}

// Release ends the reference. With the last one the memory goes back to the
// Pool. Of a stale Buffer it does nothing.
func (b Buffer) Release() {
	if b.block == nil {
		return
	}
	for {
		w := b.block.word.Load()
		if uint32(w>>32) != b.gen {
			misuse("Release")
			return
		}
		next := w - 1
		if next&refsMask == 0 {
			next = uint64(b.gen+1) << 32
		}
		if b.block.word.CompareAndSwap(w, next) {
			if next&refsMask == 0 {
				b.block.slab.pool.put(b.block)
			}
			return
		}
	}
}

// Reg is what driver.Op's Reg is for an operation on these bytes: 0 for
// memory that no driver has been told of.
func (b Buffer) Reg() uint32 {
	if !b.valid("Reg") {
		return 0
	}
	return b.block.slab.reg.Load()
}

// valid tells whether b is neither zero nor stale.
func (b Buffer) valid(what string) bool {
	if b.block == nil {
		return false
	}
	if uint32(b.block.word.Load()>>32) != b.gen {
		misuse(what)
		return false
	}
	return true
}
