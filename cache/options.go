package cache

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/sluiceio/sluice/internal/buffer"
)

// Options configures a [Cache]. The zero value is useful.
type Options struct {
	// Bytes is the most memory for blocks, in bytes; 0 means 64 MiB, or an
	// eighth of the memory that the process may use (the machine's, or its
	// control groups' limit) where that is less, and at least 2 MiB. It is
	// never exceeded, also not by blocks that have left the cache while
	// somebody has a View of them. It is obtained as it is needed, in steps of
	// 2 MiB. About 150 bytes a block come on top, for finding them, at once and
	// at most an eighth of the memory that there is; and up to 8 MiB for large
	// reads in progress.
	Bytes int64
	// Block is how much is read and kept at once, in bytes: a power of two
	// from 4 KiB to 2 MiB; 0 means 4 KiB. What is read at random should fit
	// into few blocks, and fill them.
	Block int
}

const (
	defaultBytes = 64 << 20 // 64 MiB
	minBlock     = 4 << 10  // 4 KiB: what O_DIRECT takes everywhere
	maxBlock     = 2 << 20  // 2 MiB: a huge page
	maxBlocks    = 1 << 30  // numbers of blocks are 32 bits wide
	stageMemory  = 8 << 20  // 8 MiB
	perBlock     = 150      // bytes for finding a block: frame, chains, policy
)

// complete sets what is 0 to its default, and checks the rest.
func (o Options) complete() (Options, error) {
	if o.Bytes == 0 {
		o.Bytes = buffer.Modest(defaultBytes)
	}
	if o.Block == 0 {
		o.Block = minBlock
	}
	switch {
	case o.Block < minBlock || o.Block > maxBlock || o.Block&(o.Block-1) != 0:
		return o, fmt.Errorf("cache: Options.Block %d is not a power of two from %d to %d", o.Block, minBlock, maxBlock)
	case o.Bytes < int64(o.Block):
		return o, fmt.Errorf("cache: Options.Bytes %d has no room for a block of %d", o.Bytes, o.Block)
	case o.Bytes/int64(o.Block) > maxBlocks:
		return o, fmt.Errorf("cache: Options.Bytes %d is more than %d blocks of %d", o.Bytes, maxBlocks, o.Block)
	}
	// More than there is would not be an error but the end of the program.
	blocks := o.Bytes / int64(o.Block)
	if need := perBlock * blocks; buffer.Modest(need) < need {
		return o, fmt.Errorf("cache: Options.Bytes %d in blocks of %d: the %d bytes for finding them are more than an eighth of the memory there is", o.Bytes, o.Block, need)
	}
	return o, nil
}

// leastFrames is how many frames a shard has at least, if there is more than
// one: with fewer, chance would fill some shards long before others.
const leastFrames = 512

// shardsFor is how many shards n frames are divided into: a power of two, and
// more than there are processors, so that those who miss seldom meet.
func shardsFor(n int) int {
	want := 4 * runtime.GOMAXPROCS(0)
	return 1 << (bits.Len(uint(max(1, min(want, n/leastFrames)))) - 1)
}
