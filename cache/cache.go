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

// Cache holds blocks of [File]s.
type Cache struct {
	options Options
	shift   uint // Block is 1 << shift
	shards  []shard
	// shardShift: the top bits of a hash choose the shard.
	shardShift uint
	arena      *arena
	// stage is memory for reads of several blocks that the caller's does not
	// hold whole. Nobody waits for it: without, each end is a request.
	stage *buffer.Pool
	// held is how many frames somebody needs, the cache or another, and 1
	// until Close. Who makes it 0 gives the memory back.
	held   atomic.Int64
	serial atomic.Uint64 // numbers the Files

	mu     sync.Mutex
	closed bool
	files  map[*File]struct{}
}

// New returns a Cache. The error says which option is wrong.
func New(o Options) (*Cache, error) {
	o, err := o.complete()
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
		stage:      buffer.NewPool(buffer.Options{Limit: buffer.Modest(stageMemory)}),
		files:      make(map[*File]struct{}),
	}
	c.held.Store(1)
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
	// Four times as many chains as frames: nearly all have one frame at most,
	// so that the processor guesses right where they end.
	s.chains = make([]atomic.Int32, 4<<bits.Len(uint(n-1)))
	s.policy = evict.New(n, func(i int32) *evict.Uses { return &s.frames[i].uses })
	s.loads = make(map[int32]*load)
	s.files = make(map[uint64]int32)
}

func (c *Cache) shard(k key) *shard { return &c.shards[k.hash>>c.shardShift] }

// lastBlock is the last that a file can have. Its end is beyond what an offset
// can say.
func (c *Cache) lastBlock() int64 { return math.MaxInt64 >> c.shift }

// Close closes all Files of the Cache. Memory goes back to the system when the
// last View has been released.
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
		// One that its user closes at the same time is his.
		if f.ended.CompareAndSwap(false, true) {
			errs = append(errs, f.close())
		}
	}
	c.unhold()
	return errors.Join(errs...)
}

func (c *Cache) unhold() {
	if c.held.Add(-1) == 0 {
		c.arena.close()
		c.stage.Close()
	}
}
