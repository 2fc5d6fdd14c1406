package buffer

import (
	"fmt"
	"math"
	"sync/atomic"
)

// Buffer is a reference to memory of a Pool. It is a value: copies are the same reference, and
// Retain makes another one. A Buffer is stale after its reference was released. The zero value has
// no memory; all methods work on it.
type Buffer struct {
	block  *block
	gen    uint32
	lo, hi int // the part of the block's memory
}

// block is memory that is handed out as a whole.
type block struct {
	// word counts the references to the block:
	//
	//	bits 63–32  generation; a Buffer with an earlier one is stale
	//	bits 31–0   number of references; 0 while the block is free
	//
	// The step that makes the number 0 also increments the generation. The generation wraps around
	// after 2^32 uses of one block.
	word atomic.Uint64
	slab *slab
	off  int    // in the slab's memory
	next *block // in the slab's free list. Guarded by class.mu
}

const refsMask = math.MaxUint32

// Bytes returns the memory. It is valid until the last reference is released; for a stale Buffer
// Bytes returns nil. The memory starts at a multiple of 4 KiB at least, unless the Buffer is a
// Slice that begins elsewhere.
func (b Buffer) Bytes() []byte {
	if !b.valid("Bytes") {
		return nil
	}
	mem := b.block.slab.mem[b.block.off:]
	return mem[b.lo:b.hi:b.hi]
}

// Len returns the number of bytes.
func (b Buffer) Len() int { return b.hi - b.lo }

// Cap returns how many bytes Slice can extend the Buffer to.
func (b Buffer) Cap() int {
	if !b.valid("Cap") {
		return 0
	}
	return b.block.slab.block - b.lo
}

// Slice returns the bytes from lo to hi of b; hi is at most Cap. It is the same
// reference, not another one.
func (b Buffer) Slice(lo, hi int) Buffer {
	if lo < 0 || hi < lo || hi > b.Cap() {
		panic(fmt.Sprintf("buffer: Slice(%d, %d) of a Buffer with room for %d", lo, hi, b.Cap()))
	}
	b.lo, b.hi = b.lo+lo, b.lo+hi
	return b
}

// Retain returns another reference, which must be released too. If b is stale, so is the result.
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

// Release releases the reference. The last one returns the memory to the Pool. If b is stale,
// Release does nothing.
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

// Reg returns the Registrar's number of the memory, or 0 without one.
func (b Buffer) Reg() uint32 {
	if !b.valid("Reg") {
		return 0
	}
	return b.block.slab.reg.Load()
}

// valid reports whether b is neither zero nor stale.
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
