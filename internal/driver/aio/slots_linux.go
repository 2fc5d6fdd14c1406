//go:build amd64 || arm64

package aio

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel knows an operation
// by the index of its slot, which is also its Token.
//
// The submitter takes slots and Reap gives them back, each side one goroutine
// at a time, so the free indices are a queue with one producer and one
// consumer and need no lock.
type slots struct {
	// ops holds an operation from the moment all about it is prepared. Who
	// loads it thereby sees what the submitter prepared; the kernel, which
	// carries the index from one side to the other, is unknown to Go's memory
	// model.
	ops []atomic.Pointer[driver.Op]

	free []uint32      // ring of free indices, len(ops) of them
	mask uint32        // len(ops) is a power of two
	head atomic.Uint32 // next to take; advanced by the submitter
	tail atomic.Uint32 // next to fill; advanced by Reap
}

func (s *slots) init(n uint32) {
	s.ops = make([]atomic.Pointer[driver.Op], n)
	s.free = make([]uint32, n)
	s.mask = n - 1
	for i := range s.free {
		s.free[i] = uint32(i)
	}
	s.tail.Store(n)
}

// available reports how many operations can be taken.
func (s *slots) available() int { return int(s.tail.Load() - s.head.Load()) }

// busy reports how many operations are in flight.
func (s *slots) busy() int { return len(s.ops) - s.available() }

// next returns the index that take gives to the next operation. The caller
// has asked available.
func (s *slots) next() uint32 { return s.free[s.head.Load()&s.mask] }

// take puts op, prepared, into the next slot.
func (s *slots) take(op *driver.Op) {
	i := s.next()
	op.Token = uint64(i)
	s.ops[i].Store(op)
	s.head.Add(1)
}

// give frees the slot of an operation that has ended.
func (s *slots) give(op *driver.Op) {
	i := uint32(op.Token)
	s.ops[i].Store(nil)
	t := s.tail.Load()
	s.free[t&s.mask] = i
	s.tail.Store(t + 1)
}

// at returns the operation in a slot.
func (s *slots) at(token uint64) *driver.Op { return s.ops[token].Load() }
