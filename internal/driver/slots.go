package driver

import "sync/atomic"

// FreeSlots holds the free indices in a driver's table of operations. The submitter takes indices
// and the goroutine that reaps releases them, each one goroutine at a time. So the indices are a
// queue with one producer and one consumer, and need no lock.
//
// The submitter takes an index before it stores the operation in the table, and the index is
// released after the operation was loaded from there. The table is atomic, which orders the
// accesses to a place of the queue.
type FreeSlots struct {
	free []uint32      // circular buffer
	mask uint32        // len(free) is a power of two
	head atomic.Uint32 // where the submitter takes the next index
	tail atomic.Uint32 // where the next index is released
}

// Init frees the indices from 0 to n-1. n is a power of two. Init must be called before all other
// methods.
func (s *FreeSlots) Init(n uint32) {
	s.free = make([]uint32, n)
	s.mask = n - 1
	for i := range s.free {
		s.free[i] = uint32(i)
	}
	s.tail.Store(n)
}

// Available returns the number of free indices.
func (s *FreeSlots) Available() int { return int(s.tail.Load() - s.head.Load()) }

// Busy returns the number of indices that are taken.
func (s *FreeSlots) Busy() int { return len(s.free) - s.Available() }

// Next returns the index that Take takes next. There must be a free one.
func (s *FreeSlots) Next() uint32 { return s.free[s.head.Load()&s.mask] }

// Take takes and returns the next index. There must be a free one.
func (s *FreeSlots) Take() uint32 {
	h := s.head.Load()
	i := s.free[h&s.mask]
	s.head.Store(h + 1)
	return i
}

// Release frees an index that was taken.
func (s *FreeSlots) Release(i uint32) {
	t := s.tail.Load()
	s.free[t&s.mask] = i
	s.tail.Store(t + 1)
}
