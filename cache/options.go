package cache

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/sluiceio/sluice/internal/buffer"
)

// Options configures a [Cache]. The zero value is useful.
type Options struct {
	// Bytes is the budget: the most memory for blocks, in bytes, including blocks that Views hold.
	// It must have room for one block. 0 means 64 MiB, or less if the process may use little
	// memory. The cache needs some more memory for its index and for large reads in progress.
	Bytes int64
	// Block is the size of a block in bytes: a power of two from 4 KiB to 2 MiB; 0 means 4 KiB. A
	// miss reads whole blocks, so choose the size of a typical random read.
	Block int
}

const (
	defaultBytes  = 64 << 20 // 64 MiB
	minBlock      = 4 << 10  // the alignment that O_DIRECT accepts everywhere
	maxBlock      = 2 << 20  // 2 MiB: a huge page
	maxBlocks     = 1 << 30  // frames are numbered by an int32
	stagingMemory = 8 << 20  // 8 MiB
	perBlock      = 150      // bytes of the index for each block: frame, chains, policy
)

// withDefaults returns o with defaults in place of zeros, or an error that names a wrong option.
func (o Options) withDefaults() (Options, error) {
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
	// Without this check the program would run out of memory and die.
	blocks := o.Bytes / int64(o.Block)
	if need := perBlock * blocks; buffer.Modest(need) < need {
		return o, fmt.Errorf("cache: Options.Bytes %d in blocks of %d: their index of %d bytes takes more than an eighth of the memory there is; use fewer bytes or larger blocks", o.Bytes, o.Block, need)
	}
	return o, nil
}

// minFrames is the least number of frames of a shard, if a cache has more than one shard. With
// fewer frames, some shards would by chance fill long before the rest.
const minFrames = 512

// shardsFor returns the number of shards for n frames: a power of two, and more than there are
// processors, so that goroutines seldom meet at a lock.
func shardsFor(n int) int {
	want := 4 * runtime.GOMAXPROCS(0)
	return 1 << (bits.Len(uint(max(1, min(want, n/minFrames)))) - 1)
}
