package cache

import (
	"errors"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/evict"
)

// Cache holds blocks of [File]s. [New] makes one, and [Cache.Close] closes it. File and Stats of
// the zero Cache panic.
type Cache struct {
	options Options
	shift   uint // a block has 1 << shift bytes
	shards  []shard
	// shardShift shifts a hash right to the number of its shard.
	shardShift uint
	arena      *arena
	// staging is memory for reads of several blocks that do not fit exactly into the caller's
	// buffer. A read never waits for it: without staging, the first and the last block get their
	// own requests.
	staging *buffer.Pool
	// held is the number of frames in use, plus 1 until Close. The goroutine that makes it 0
	// releases the memory.
	held atomic.Int64
	// users is the number of open Files, plus 1 until Close. No read can begin once it is 0. The
	// goroutine that makes it 0 takes Close's 1 from held.
	users  atomic.Int64
	serial atomic.Uint64 // the number of the newest File

	mu     sync.Mutex
	closed bool
	files  map[*File]struct{}
}

// New returns a Cache. An error names the option that is wrong.
func New(o Options) (*Cache, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return newCache(o, shardsFor(int(o.Bytes/int64(o.Block)))), nil
}

func newCache(o Options, shards int) *Cache {
	n := int(o.Bytes / int64(o.Block))
	c := &Cache{
		options:    o,
		shift:      uint(bits.TrailingZeros(uint(o.Block))),
		shards:     make([]shard, shards),
		shardShift: uint(64 - bits.TrailingZeros(uint(shards))),
		arena:      newArena(n, o.Block),
		staging:    buffer.NewPool(buffer.Options{Limit: buffer.Modest(stagingMemory)}),
		files:      make(map[*File]struct{}),
	}
	c.held.Store(1)
	c.users.Store(1)
	for i := range c.shards {
		frames := n / shards
		if i < n%shards {
			frames++
		}
		c.shards[i].init(c, frames)
	}
	return c
}

func (s *shard) init(c *Cache, n int) {
	s.cache = c
	s.frames = make([]frame, n)
	// Four chains for each frame: nearly every chain has one frame at most, and the processor
	// predicts where it ends.
	s.chains = make([]atomic.Int32, 4<<bits.Len(uint(n-1)))
	s.policy = evict.New(n, func(i int32) *evict.Uses { return &s.frames[i].uses })
	s.loads = make(map[int32]*load)
	s.files = make(map[uint64]int32)
}

// checkMade panics if c is the zero Cache.
func (c *Cache) checkMade() {
	if c.arena == nil {
		panic("cache: use of the zero Cache; New makes Caches")
	}
}

func (c *Cache) shard(k key) *shard { return &c.shards[k.hash>>c.shardShift] }

// lastBlock returns the number of the last block that a file can have. The block ends beyond the
// largest offset.
func (c *Cache) lastBlock() int64 { return math.MaxInt64 >> c.shift }

// Close closes all Files of the Cache and returns their errors, joined. The memory goes back to the
// system with the last View. A second Close does nothing and returns nil.
func (c *Cache) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	files := c.files
	c.files = nil
	c.mu.Unlock()
	var errs []error
	for f := range files {
		// If another goroutine closes the File, that goroutine gets the File's error.
		if f.ended.CompareAndSwap(false, true) {
			errs = append(errs, f.close())
		}
	}
	c.release()
	return errors.Join(errs...)
}

// release ends one use in c.users. Close of a Cache does not wait for a Close of a File in another
// goroutine, whose reads may be in progress.
func (c *Cache) release() {
	if c.users.Add(-1) == 0 {
		c.unhold()
	}
}

// unhold ends one use in c.held.
func (c *Cache) unhold() {
	if c.held.Add(-1) == 0 {
		c.arena.close()
		c.staging.Close()
	}
}
