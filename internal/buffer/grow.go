package buffer

import "fmt"

// find returns a free block of a class, from the system if it must be; nil if
// the limit stands against it. Under mu.
func (p *Pool) find(index, size int) (*block, error) {
	c := &p.classes[index]
	if b := c.take(size); b != nil {
		return b, nil
	}
	need := max(size, slabSize)
	if p.mapped+int64(need) > p.limit {
		if s := p.idleSlab(need); s != nil {
			return p.use(s, c, size), nil
		}
		p.reclaim(p.limit - int64(need))
	}
	if p.mapped+int64(need) > p.limit {
		return p.larger(index), nil
	}
	s, err := p.obtain(need)
	if err != nil {
		return nil, err
	}
	return p.use(s, c, size), nil
}

// use makes s one of c's slabs and returns a block of it. Somebody quicker may
// have taken them all, where it has several.
func (p *Pool) use(s *slab, c *class, size int) *block {
	s.format(c, size)
	b := s.free
	s.free, b.next = b.next, nil
	s.used = 1
	if s.free != nil {
		c.mu.Lock()
		c.open.PushFront(&s.open, s)
		c.mu.Unlock()
	}
	return b
}

// larger returns a block that is larger than asked for, of a slab that is
// there anyway.
func (p *Pool) larger(index int) *block {
	for i := index + 1; i < large; i++ {
		if b := p.classes[i].take(minBlock << i); b != nil {
			return b
		}
	}
	return nil
}

// idleSlab takes a slab of that size, with no block in use, away from a class.
func (p *Pool) idleSlab(size int) *slab {
	for i := range p.classes {
		if s := p.classes[i].takeIdle(size); s != nil {
			return s
		}
	}
	return nil
}

// reclaim gives idle slabs back until no more than most bytes are mapped, or
// none is idle. Under mu.
func (p *Pool) reclaim(most int64) {
	for p.mapped > most {
		s := p.idleSlab(0)
		if s == nil {
			return
		}
		p.unmap(s)
	}
}

// obtain gets memory from the system. Under mu.
func (p *Pool) obtain(size int) (*slab, error) {
	m, err := p.source(size)
	if err != nil {
		return nil, fmt.Errorf("buffer: %d bytes of memory: %w", size, err)
	}
	s := &slab{pool: p, mem: m.mem, kind: m.kind}
	if p.reg != nil {
		if i, err := p.reg.Register(s.mem); err == nil {
			s.reg.Store(uint32(i) + 1)
		}
	}
	p.slabs.PushFront(&s.mapped, s)
	p.mapped += int64(size)
	p.mappedPeak = max(p.mappedPeak, p.mapped)
	return s, nil
}

// unmap gives a slab back to the system. No block of it is in use, no class
// has it. Under mu.
func (p *Pool) unmap(s *slab) {
	p.unregister(s)
	p.slabs.Remove(&s.mapped)
	p.mapped -= int64(len(s.mem))
	memory{s.mem, s.kind}.release()
	// Stale Buffers keep the slab reachable: it must not point to what may
	// become anybody's.
	s.mem = nil
}

// unregister makes a slab's memory unknown to the Registrar. Under mu.
func (p *Pool) unregister(s *slab) {
	if i := s.reg.Swap(0); i != 0 {
		p.reg.Unregister(int(i - 1))
	}
}
