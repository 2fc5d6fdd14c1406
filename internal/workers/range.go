package workers

import "sync/atomic"

// Range is a range of numbers below 1<<32. Its owner takes the lowest number, one after the other,
// while other goroutines may split off the upper half. The zero value is empty.
type Range struct {
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
func (r *Range) Set(next, end int) { r.v.Store(pack(next, end)) }

// Len returns how many numbers are left.
func (r *Range) Len() int {
	next, end := unpack(r.v.Load())
	return end - next
}

// Next returns the lowest number. Take will return it too, unless it is split off before.
func (r *Range) Next() (n int, ok bool) {
	next, end := unpack(r.v.Load())
	return next, next < end
}

// Take removes and returns the lowest number.
func (r *Range) Take() (n int, ok bool) {
	for {
		v := r.v.Load()
		next, end := unpack(v)
		if next == end {
			return 0, false
		}
		if r.v.CompareAndSwap(v, pack(next+1, end)) {
			return next, true
		}
	}
}

// Split removes and returns the upper half: the numbers from from up to, but not including,
// to. Of an odd count it takes the larger half, so it can take the last number. It returns
// false if the range is empty.
func (r *Range) Split() (from, to int, ok bool) {
	for {
		v := r.v.Load()
		next, end := unpack(v)
		if next == end {
			return 0, 0, false
		}
		mid := next + (end-next)/2
		if r.v.CompareAndSwap(v, pack(next, mid)) {
			return mid, end, true
		}
	}
}
