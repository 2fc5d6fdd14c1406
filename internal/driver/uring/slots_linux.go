//go:build amd64 || arm64

package uring

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel knows an operation by
// its token, never by a pointer:
//
//	bits 63–32  generation of the slot, so that a late Cancel finds nothing
//	bits 31–0   index of the slot
//
// The table keeps each operation, and with it the memory that the kernel reads or
// writes, reachable for the garbage collector. Nothing moves that memory: see
// driver.Op.Buf.
//
// The submitter takes slots and Reap frees them, each one goroutine at a time. So
// the free indices are a queue with one producer and one consumer, and need no
// lock.
type slots struct {
	ops  []atomic.Pointer[driver.Op]
	gens []uint32 // used by the submitter alone

	free []uint32 // circular buffer of free indices, of len(ops) elements
	mask uint32
	head atomic.Uint32 // where the submitter takes the next index
	tail atomic.Uint32 // where Reap puts the next index
}

// Tokens of SQEs that are no operations. No slot has this index.
const (
	special     = 1<<32 - 1
	wakeToken   = 0<<32 | special
	cancelToken = 1<<32 | special
)

func (s *slots) init(n uint32) {
	s.ops = make([]atomic.Pointer[driver.Op], n)
	s.gens = make([]uint32, n)
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

// take gives op a slot and its token. There must be an available slot.
func (s *slots) take(op *driver.Op) {
	h := s.head.Load()
	i := s.free[h&s.mask]
	s.gens[i]++
	op.Token = uint64(s.gens[i])<<32 | uint64(i)
	s.head.Store(h + 1)
}

// publish keeps op, and with it its buffer, reachable until release. It is the
// submitter's last access to op. The race detector does not see the kernel; the
// store here and the load in release tell it that the submitter is done before the
// caller of release begins.
func (s *slots) publish(op *driver.Op) { s.ops[uint32(op.Token)].Store(op) }

// release frees the slot of a token and returns its operation.
func (s *slots) release(token uint64) *driver.Op {
	i := uint32(token)
	op := s.ops[i].Swap(nil)
	t := s.tail.Load()
	s.free[t&s.mask] = i
	s.tail.Store(t + 1)
	return op
}
