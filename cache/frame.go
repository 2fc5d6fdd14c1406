package cache

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/evict"
)

// frame is room for a block. It has no pointers, so that the garbage collector
// does not look at a large cache's millions of them; and what a hit looks at
// is in one line of the processor's cache.
type frame struct {
	// word says who needs the memory:
	//
	//	bit  31     it is being read from the disk
	//	bits 30–0   references: each View and operation in progress, and the
	//	            cache's own while the block can be found
	//
	// From 0 it is raised only by who took the frame (shard.take). While bit
	// 31 is set, or it is 0, only under shard.mu.
	word atomic.Uint32
	// next is the next frame of the chain, plus 1. Written under shard.mu;
	// read by all, who may thus come upon a frame that is no longer in the
	// chain, or in another one.
	next atomic.Int32
	// file and block are what the frame holds; file is 0 when it cannot be
	// found. They are set while word is 0, and file to 0 at any time under
	// shard.mu: who has a reference and then sees the right file and block has
	// the right frame.
	file  atomic.Uint64
	block atomic.Int64

	at uint32 // its memory in the arena. Set once
	n  uint32 // bytes that the file has of the block. Set before bit 31 is cleared

	uses evict.Uses

	prevOfFile, nextOfFile int32    // plus 1. Under shard.mu
	_                      [20]byte // up to 64
}

const loading = 1 << 31

// pin adds a reference, unless the frame is free or being read.
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

// holds tells whether the frame holds that block.
func (fr *frame) holds(file uint64, block int64) bool {
	return fr.block.Load() == block && fr.file.Load() == file
}
