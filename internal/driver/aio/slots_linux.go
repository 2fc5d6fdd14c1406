//go:build amd64 || arm64

package aio

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel identifies an operation by the index of
// its slot, which is also its Token.
//
// The table keeps each operation, and with it the memory that the kernel reads or writes, reachable
// for the garbage collector. Nothing moves that memory: see driver.Op.Buf.
//
// The submitter takes slots and Reap frees them, each one goroutine at a time.
type slots struct {
	// ops holds each operation from its preparation on. A goroutine that loads it sees the prepared
	// fields. The index alone would not order that: it comes through the kernel, which Go's memory
	// model does not know.
	ops []atomic.Pointer[driver.Op]

	driver.FreeSlots
}

// init makes a table of n slots, a power of two.
func (s *slots) init(n uint32) {
	s.ops = make([]atomic.Pointer[driver.Op], n)
	s.Init(n)
}

// take puts op, which is prepared, into the next slot.
func (s *slots) take(op *driver.Op) {
	i := s.Take() // before op is in the table: see driver.FreeSlots
	op.Token = uint64(i)
	s.ops[i].Store(op)
}

// release frees the slot of an operation that has ended.
func (s *slots) release(op *driver.Op) {
	i := uint32(op.Token)
	s.ops[i].Store(nil)
	s.Release(i)
}

// at returns the operation in a slot.
func (s *slots) at(token uint64) *driver.Op { return s.ops[token].Load() }
