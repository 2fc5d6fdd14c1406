package trace

import "time"

// slots gives each interval the lowest number that is free. Callers pass intervals in the order of
// their start.
type slots struct {
	busy queue // slots in use, by the end of their interval
	free queue // slots that are free, by their number
	n    int32 // the number of slots
}

// take returns the slot of the interval from start to end. An interval may begin in a slot at the
// time at which another one ends there.
func (s *slots) take(start, end time.Duration) int32 {
	for len(s.busy) > 0 && s.busy[0].key <= int64(start) {
		slot := s.busy.pop().slot
		s.free.push(entry{int64(slot), slot})
	}
	slot := s.n
	if len(s.free) > 0 {
		slot = s.free.pop().slot
	} else {
		s.n++
	}
	s.busy.push(entry{int64(end), slot})
	return slot
}

// queue is a binary heap: its first entry has the least key. container/heap would allocate for each
// entry.
type queue []entry

type entry struct {
	key  int64
	slot int32
}

func (q *queue) push(e entry) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0 && h[(i-1)/2].key > h[i].key; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

func (q *queue) pop() entry {
	h := *q
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*q = h
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].key < h[least].key {
				least = child
			}
		}
		if least == i {
			return first
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
