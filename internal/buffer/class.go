package buffer

import (
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// class is the slabs of one size of block.
type class struct {
	pool *Pool
	mu   sync.Mutex
	// open holds the slabs with free blocks: the one that a block was last
	// released to first, those with no block in use last, so that these can
	// be given back.
	open list.List[slab]
}

// take returns a free block of that size, or nil. Only the large class has
// blocks of different sizes.
func (c *class) take(size int) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.open.Front()
	for s != nil && s.block != size {
		s = s.open.Next()
	}
	if s == nil {
		return nil
	}
	if s.used == 0 {
		c.pool.idle.Add(-int64(len(s.mem)))
	}
	b := s.free
	s.free, b.next = b.next, nil
	s.used++
	if s.free == nil {
		c.open.Remove(&s.open)
	}
	return b
}

// put makes a block free. If that leaves its slab with none in use, and the
// Pool has enough of such, it returns the slab, which is no longer the
// class's.
func (c *class) put(b *block) (spare *slab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := b.slab
	b.next, s.free = s.free, b
	s.used--
	switch {
	case s.used > 0 && c.open.Front() != s:
		c.unlink(s)
		c.open.PushFront(&s.open, s)
	case s.used > 0: // it is where it belongs
	case !c.pool.keepIdle(s):
		c.unlink(s)
		return s
	case c.open.Back() != s:
		c.unlink(s)
		c.open.PushBack(&s.open, s)
	}
	return nil
}

// unlink takes s out of the list, if it is there.
func (c *class) unlink(s *slab) {
	if c.open.Has(&s.open) {
		c.open.Remove(&s.open)
	}
}

// takeIdle takes a slab with no block in use away from the class, one of that
// size if size is not 0; nil if there is none.
func (c *class) takeIdle(size int) *slab {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := c.open.Back(); s != nil && s.used == 0; s = s.open.Prev() {
		if size == 0 || len(s.mem) == size {
			c.pool.idle.Add(-int64(len(s.mem)))
			c.open.Remove(&s.open)
			return s
		}
	}
	return nil
}
