//go:build amd64 || arm64

package aio

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel knows an operation by the
// index of its slot, which is also its Token.
//
// The table keeps each operation, and with it the memory that the kernel reads or
// writes, reachable for the garbage collector. Nothing moves that memory: see
// driver.Op.Buf.
//
// The submitter takes slots and Reap frees them, each one goroutine at a time. So
// the free indices are a queue with one producer and one consumer, and need no
// lock.
type slots struct {
	// ops holds each operation from the moment at which it is prepared. A
	// goroutine that loads it sees what the submitter has prepared. The index
	// comes through the kernel, which Go's memory model does not know, so it
	// could not order that.
	ops []atomic.Pointer[driver.Op]

	free []uint32      // circular buffer of free indices, of len(ops) elements
	mask uint32        // len(ops) is a power of two
	head atomic.Uint32 // where the submitter takes the next index
	tail atomic.Uint32 // where Reap puts the next index
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

// available returns the number of free slots.
func (s *slots) available() int { return int(s.tail.Load() - s.head.Load()) }

// busy returns the number of operations in flight.
func (s *slots) busy() int { return len(s.ops) - s.available() }

// next returns the index of the slot that take uses next. There must be an
// available slot.
func (s *slots) next() uint32 { return s.free[s.head.Load()&s.mask] }

// take puts op, which is prepared, into the next slot.
func (s *slots) take(op *driver.Op) {
	i := s.next()
	op.Token = uint64(i)
	s.ops[i].Store(op)
	s.head.Add(1)
}

// release frees the slot of an operation that has ended.
func (s *slots) release(op *driver.Op) {
	i := uint32(op.Token)
	s.ops[i].Store(nil)
	t := s.tail.Load()
	s.free[t&s.mask] = i
	s.tail.Store(t + 1)
}

// at returns the operation in a slot.
func (s *slots) at(token uint64) *driver.Op { return s.ops[token].Load() }
