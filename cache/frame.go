package cache

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/evict"
)

// frame is the memory for one block, and its state. It has no pointers: the garbage collector need
// not scan a large cache's millions of frames. It has 64 bytes: a hit touches one cache line of it.
type frame struct {
	// word counts references:
	//
	//	bit  31     the block is being read from the disk
	//	bits 30–0   the number of references: one for each View and operation
	//	            in progress, and one for the cache while the block can be
	//	            found
	//
	// While word is 0 or bit 31 is set, word is written only under shard.mu. Only shard.take gives
	// away a frame whose word is 0.
	word atomic.Uint32
	// next is the next frame of the chain, plus 1. It is written under shard.mu and read without.
	// So a reader may come to a frame that has left the chain, or has moved to another one.
	next atomic.Int32
	// file and block name the frame's block. file is 0 if the frame cannot be found. Both are set
	// under shard.mu while word is 0; file becomes 0 at any time under shard.mu. A goroutine must
	// first take a reference, and then check file and block: then the frame stays the right one.
	file  atomic.Uint64
	block atomic.Int64

	at uint32 // its block in the arena. Set once
	n  uint32 // bytes of the file in the block. Set before bit 31 is cleared

	uses evict.Uses

	prevOfFile, nextOfFile int32    // frames plus 1. Read and written under shard.mu
	_                      [20]byte // pads the frame to 64 bytes
}

const loading = 1 << 31

// pin adds a reference. It returns false if the frame is free, or is being read.
func (fr *frame) pin() bool {
	for {
		w := fr.word.Load()
		if w == 0 || w&loading != 0 {
			return false
		}
		if fr.word.CompareAndSwap(w, w+1) {
			return true
		}
	}
}

// holds reports whether the frame holds that block.
func (fr *frame) holds(file uint64, block int64) bool {
	return fr.block.Load() == block && fr.file.Load() == file
}
