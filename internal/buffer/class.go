package buffer

import (
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// class is all slabs with blocks of one size.
type class struct {
	pool *Pool
	mu   sync.Mutex
	// withFree has the slabs with free blocks. The slab to which a block was last returned comes
	// first. Slabs without a block in use come last, so that they stay unused and can be unmapped.
	withFree list.List[slab]
}

// take returns a free block of that size, or nil. Only the large class has blocks of several sizes.
func (c *class) take(size int) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.withFree.Front()
	for s != nil && s.block != size {
		s = s.links.Next()
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
		c.withFree.Remove(&s.links)
	}
	return b
}

// put frees b. If its slab then has no block in use, and the Pool keeps enough idle slabs already,
// put removes the slab from the class and returns it.
func (c *class) put(b *block) (spare *slab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := b.slab
	b.next, s.free = s.free, b
	s.used--
	switch {
	case s.used > 0 && c.withFree.Front() != s:
		c.unlink(s)
		c.withFree.PushFront(&s.links, s)
	case s.used > 0: // s is the first already
	case !c.pool.keepIdle(s):
		c.unlink(s)
		return s
	case c.withFree.Back() != s:
		c.unlink(s)
		c.withFree.PushBack(&s.links, s)
	}
	return nil
}

// unlink removes s from the list, if it is in it.
func (c *class) unlink(s *slab) {
	if c.withFree.Has(&s.links) {
		c.withFree.Remove(&s.links)
	}
}

// takeIdle removes an idle slab from the class and returns it, or nil if there is none. If size is
// not 0, the slab has that size.
func (c *class) takeIdle(size int) *slab {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := c.withFree.Back(); s != nil && s.used == 0; s = s.links.Prev() {
		if size == 0 || len(s.mem) == size {
			c.pool.idle.Add(-int64(len(s.mem)))
			c.withFree.Remove(&s.links)
			return s
		}
	}
	return nil
}
