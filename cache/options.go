package cache

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/sluiceio/sluice/internal/buffer"
)

// Options configures a [Cache]. The zero value is useful.
type Options struct {
	// Bytes is the budget: the most memory for blocks, in bytes, with blocks that Views hold. It must
	// have room for one block. 0 means 64 MiB, or an eighth of the memory that the process may use,
	// and at least 2 MiB. The cache also has an index of some 150 bytes a block, and up to 8 MiB for
	// large reads in progress.
	Bytes int64
	// Block is the size of a block in bytes: a power of two from 4 KiB to 2 MiB; 0 means 4 KiB. A miss
	// reads whole blocks, so choose about the size of a typical random read.
	Block int
}

const (
	defaultBytes  = 64 << 20 // 64 MiB
	minBlock      = 4 << 10  // 4 KiB: O_DIRECT takes this everywhere
	maxBlock      = 2 << 20  // 2 MiB: a huge page
	maxBlocks     = 1 << 30  // frames are numbered by an int32
	stagingMemory = 8 << 20  // 8 MiB
	perBlock      = 150      // bytes of the index for each block: frame, chains, policy
)

// withDefaults returns o with defaults for what is 0, or an error for what is wrong.
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

// minFrames is the least number of frames of a shard, if there is more than
// one. With fewer, some shards would by chance fill long before others.
const minFrames = 512

// shardsFor returns the number of shards for n frames. It is a power of two, and
// more than there are processors, so that goroutines seldom meet at a lock.
func shardsFor(n int) int {
	want := 4 * runtime.GOMAXPROCS(0)
	return 1 << (bits.Len(uint(max(1, min(want, n/minFrames)))) - 1)
}
