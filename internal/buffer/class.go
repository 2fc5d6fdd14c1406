package buffer

import "sync"

// class is the slabs of one size of block.
type class struct {
	pool *Pool
	mu   sync.Mutex
	// open holds the slabs with free blocks: the one that a block was last
	// released to first, those with no block in use last, so that these can
	// be given back.
	open struct{ first, last *slab }
}

// take returns a free block of that size, or nil. Only the large class has
// blocks of different sizes.
func (c *class) take(size int) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.open.first
	for s != nil && s.block != size {
		s = s.next
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
		c.unlink(s)
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
	c.unlink(s)
	switch {
	case s.used > 0:
		c.pushFront(s)
	case c.pool.keepIdle(s):
		c.pushBack(s)
	default:
		return s
	}
	return nil
}

// takeIdle takes a slab with no block in use away from the class, one of that
// size if size is not 0; nil if there is none.
func (c *class) takeIdle(size int) *slab {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := c.open.last; s != nil && s.used == 0; s = s.prev {
		if size == 0 || len(s.mem) == size {
			c.pool.idle.Add(-int64(len(s.mem)))
			c.unlink(s)
			return s
		}
	}
	return nil
}

func (c *class) pushFront(s *slab) {
	s.listed, s.prev, s.next = true, nil, c.open.first
	if s.next == nil {
		c.open.last = s
	} else {
		s.next.prev = s
	}
	c.open.first = s
}

func (c *class) pushBack(s *slab) {
	s.listed, s.prev, s.next = true, c.open.last, nil
	if s.prev == nil {
		c.open.first = s
	} else {
		s.prev.next = s
	}
	c.open.last = s
}

// unlink takes s out of the list, if it is there.
func (c *class) unlink(s *slab) {
	if !s.listed {
		return
	}
	if s.prev == nil {
		c.open.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		c.open.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.listed, s.prev, s.next = false, nil, nil
}
