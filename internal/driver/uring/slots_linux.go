//go:build amd64 || arm64

package uring

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel identifies an operation by its token,
// never by a pointer:
//
//	bits 63–32  generation of the slot, so that a late Cancel finds nothing
//	bits 31–0   index of the slot
//
// The table keeps each operation, and with it the memory that the kernel reads or writes, reachable
// for the garbage collector. Nothing moves that memory: see driver.Op.Buf.
//
// The submitter takes slots and Reap frees them, each one goroutine at a time.
type slots struct {
	ops  []atomic.Pointer[driver.Op]
	gens []uint32 // used by the submitter alone

	driver.FreeSlots
}

// Tokens of SQEs that are no operations. No slot has this index.
const (
	special     = 1<<32 - 1
	wakeToken   = 0<<32 | special
	cancelToken = 1<<32 | special
)

// init makes a table of n slots, a power of two.
func (s *slots) init(n uint32) {
	s.ops = make([]atomic.Pointer[driver.Op], n)
	s.gens = make([]uint32, n)
	s.Init(n)
}

// take gives op a slot and its token. There must be an available slot.
func (s *slots) take(op *driver.Op) {
	i := s.Take()
	s.gens[i]++
	op.Token = uint64(s.gens[i])<<32 | uint64(i)
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
	s.Release(i)
	return op
}
