package buffer

import "fmt"

// find returns a free block of a class, and maps a slab if need be. It returns nil if the limit
// does not allow that. mu is held.
func (p *Pool) find(index, size int) (*block, error) {
	c := &p.classes[index]
	if b := c.take(size); b != nil {
		return b, nil
	}
	need := max(size, slabSize)
	if p.mapped+int64(need) > p.Limit() {
		if s := p.idleSlab(need); s != nil {
			return p.divide(s, c, size), nil
		}
		p.reclaim(p.Limit() - int64(need))
	}
	if p.mapped+int64(need) > p.Limit() {
		if b := p.larger(index); b != nil || !p.exceeds {
			return b, nil
		}
	}
	s, err := p.mapSlab(need)
	if err != nil {
		return nil, err
	}
	return p.divide(s, c, size), nil
}

// divide divides s into blocks of class c and returns one. It takes that block first: once c is
// unlocked, other goroutines may take all the rest.
func (p *Pool) divide(s *slab, c *class, size int) *block {
	s.divide(c, size)
	b := s.free
	s.free, b.next = b.next, nil
	s.used = 1
	if s.free != nil {
		c.mu.Lock()
		c.withFree.PushFront(&s.links, s)
		c.mu.Unlock()
	}
	return b
}

// larger returns a block of a larger class, from a slab that has a free one.
func (p *Pool) larger(index int) *block {
	for i := index + 1; i < large; i++ {
		if b := p.classes[i].take(minBlock << i); b != nil {
			return b
		}
	}
	return nil
}

// idleSlab removes an idle slab of that size from its class, and returns it, or nil if there is
// none.
func (p *Pool) idleSlab(size int) *slab {
	for i := range p.classes {
		if s := p.classes[i].takeIdle(size); s != nil {
			return s
		}
	}
	return nil
}

// reclaim unmaps idle slabs until at most most bytes are mapped, or no slab is idle. Slabs that
// forget unmaps count as unmapped. mu is held.
func (p *Pool) reclaim(most int64) {
	for p.mapped-p.leaving > most {
		s := p.idleSlab(0)
		if s == nil {
			return
		}
		p.unmap(s)
	}
}

// mapSlab maps a slab. mu is held.
func (p *Pool) mapSlab(size int) (*slab, error) {
	m, err := p.source(size)
	if err != nil {
		return nil, fmt.Errorf("buffer: %d bytes of memory: %w", size, err)
	}
	s := &slab{pool: p, mem: m.mem, kind: m.kind}
	if p.reg != nil {
		s.reg.Store(p.reg.Register(s.mem))
	}
	p.slabs.PushFront(&s.mapped, s)
	p.mapped += int64(size)
	p.mappedPeak = max(p.mappedPeak, p.mapped)
	return s, nil
}

// unmap unmaps a slab, which has no block in use and belongs to no class, now or soon. mu is held.
func (p *Pool) unmap(s *slab) {
	if reg := s.reg.Load(); reg == 0 || p.closed.Load() || !p.reg.Registered(reg) {
		p.unmapNow(s)
		return
	}
	p.leaving += int64(len(s.mem))
	p.forgetting.Go(func() { p.forget(s) })
}

// forget unmaps a slab that drivers know. io_uring unregisters memory under the lock under which a
// thread submits, and a device that takes no more requests holds that thread. So forget is a
// goroutine, and unregisters without mu: Gets and Releases for other devices go on.
func (p *Pool) forget(s *slab) {
	p.unregister(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving -= int64(len(s.mem))
	p.unmapNow(s)
	p.serve()
}

// unmapNow is unmap, and waits until the drivers have unregistered the memory. mu is held.
func (p *Pool) unmapNow(s *slab) {
	p.unregister(s)
	p.slabs.Remove(&s.mapped)
	p.mapped -= int64(len(s.mem))
	memory{s.mem, s.kind}.release()
	// Stale Buffers keep the slab reachable. It must not refer to memory that the system may map
	// again.
	s.mem = nil
}

// unregister removes a slab's memory from the Registrar.
func (p *Pool) unregister(s *slab) {
	if reg := s.reg.Swap(0); reg != 0 {
		p.reg.Unregister(reg)
	}
}
