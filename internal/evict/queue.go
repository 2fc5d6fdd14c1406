package evict

// queue is a list of slots, the newest first.
type queue struct {
	first, last int32
	len         int
}

func (q *queue) clear() { q.first, q.last, q.len = none, none, 0 }

// push makes i the first slot of q.
func (p *Policy) push(q *queue, i int32) {
	s := &p.slots[i]
	s.queue, s.prev, s.next = q, none, q.first
	if q.first == none {
		q.last = i
	} else {
		p.slots[q.first].prev = i
	}
	q.first = i
	q.len++
}

// unlink removes i from its queue.
func (p *Policy) unlink(i int32) {
	s := &p.slots[i]
	q := s.queue
	if q == nil {
		panic("evict: the slot holds no key")
	}
	if s.prev == none {
		q.first = s.next
	} else {
		p.slots[s.prev].next = s.next
	}
	if s.next == none {
		q.last = s.prev
	} else {
		p.slots[s.next].prev = s.prev
	}
	s.queue = nil
	q.len--
}
