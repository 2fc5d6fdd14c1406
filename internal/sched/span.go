package sched

import "sync/atomic"

// Span is a range of numbers below 1<<32, of which its owner takes the lowest,
// one after the other, while others may split off the upper half. Its zero value
// is empty.
type Span struct {
	// bits 63–32  the end
	// bits 31–0   the next
	v atomic.Uint64
}

func pack(next, end int) uint64       { return uint64(end)<<32 | uint64(next) }
func unpack(v uint64) (next, end int) { return int(uint32(v)), int(v >> 32) }

// Set makes it the numbers from next to end, which is not one of them. It was
// empty.
func (s *Span) Set(next, end int) { s.v.Store(pack(next, end)) }

// Len is how many numbers there are.
func (s *Span) Len() int {
	next, end := unpack(s.v.Load())
	return end - next
}

// Next is the lowest number, which Take takes if nobody has split it off meanwhile.
func (s *Span) Next() (n int, ok bool) {
	next, end := unpack(s.v.Load())
	return next, next < end
}

// Take takes the lowest number.
func (s *Span) Take() (n int, ok bool) {
	for {
		v := s.v.Load()
		next, end := unpack(v)
		if next == end {
			return 0, false
		}
		if s.v.CompareAndSwap(v, pack(next+1, end)) {
			return next, true
		}
	}
}

// Split takes the upper half, of one number that. It returns false if there is
// none.
func (s *Span) Split() (from, to int, ok bool) {
	for {
		v := s.v.Load()
		next, end := unpack(v)
		if next == end {
			return 0, 0, false
		}
		mid := next + (end-next)/2
		if s.v.CompareAndSwap(v, pack(next, mid)) {
			return mid, end, true
		}
	}
}
