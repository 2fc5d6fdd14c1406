package sched

import "sync/atomic"

// WorkRange is a range of numbers below 1<<32. Its owner takes the lowest one, one after the
// other, while other goroutines may split off the upper half. The zero value is empty.
type WorkRange struct {
	// v packs both ends of the range:
	//
	//	bits 63–32  the end, which is not part of the range
	//	bits 31–0   the next number
	v atomic.Uint64
}

func pack(next, end int) uint64       { return uint64(end)<<32 | uint64(next) }
func unpack(v uint64) (next, end int) { return int(uint32(v)), int(v >> 32) }

// Set makes the range the numbers from next up to, but not including, end. The range must be
// empty before.
func (s *WorkRange) Set(next, end int) { s.v.Store(pack(next, end)) }

// Len returns how many numbers are left.
func (s *WorkRange) Len() int {
	next, end := unpack(s.v.Load())
	return end - next
}

// Next returns the lowest number. Take will return it too, unless it is split off before.
func (s *WorkRange) Next() (n int, ok bool) {
	next, end := unpack(s.v.Load())
	return next, next < end
}

// Take removes and returns the lowest number.
func (s *WorkRange) Take() (n int, ok bool) {
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

// Split removes and returns the upper half: the numbers from from up to, but not including,
// to. Of an odd count it takes the larger half, so it can take the last number. It returns
// false if the range is empty.
func (s *WorkRange) Split() (from, to int, ok bool) {
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
