//go:build amd64 || arm64

package uring

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// slots is the table of operations in flight. The kernel knows an operation
// by its token, never by a pointer:
//
//	bits 63–32  generation of the slot, so that a late Cancel misses
//	bits 31–0   index of the slot
//
// The submitter takes slots and Reap gives them back, each side one goroutine
// at a time, so the free indices are a queue with one producer and one
// consumer and need no lock.
type slots struct {
	ops  []atomic.Pointer[driver.Op]
	gens []uint32 // the submitter's

	free []uint32 // ring of free indices, len(ops) of them
	mask uint32
	head atomic.Uint32 // next to take; advanced by the submitter
	tail atomic.Uint32 // next to fill; advanced by Reap
}

// Tokens of what is not an operation. No slot has this index.
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

// available reports how many operations can be taken.
func (s *slots) available() int { return int(s.tail.Load() - s.head.Load()) }

// busy reports how many operations are in flight.
func (s *slots) busy() int { return len(s.ops) - s.available() }

// take gives op a slot and its token. The caller has asked available.
func (s *slots) take(op *driver.Op) {
	h := s.head.Load()
	i := s.free[h&s.mask]
	s.gens[i]++
	op.Token = uint64(s.gens[i])<<32 | uint64(i)
	s.head.Store(h + 1)
}

// hold keeps op, and with it its buffer, reachable until give. It is the
// submitter's last access to op: the race detector, which cannot see that the
// kernel comes in between, orders what give's caller does with op after it.
func (s *slots) hold(op *driver.Op) { s.ops[uint32(op.Token)].Store(op) }

// give frees the slot of a token and returns its operation.
func (s *slots) give(token uint64) *driver.Op {
	i := uint32(token)
	op := s.ops[i].Swap(nil)
	t := s.tail.Load()
	s.free[t&s.mask] = i
	s.tail.Store(t + 1)
	return op
}
