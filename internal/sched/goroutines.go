package sched

import (
	"math/bits"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"unsafe"
)

// goroutine is a set of one goroutine, as a mask: a hash of where its stack is. So two goroutines
// may be taken for one, and one whose stack has moved for two.
type goroutine uint64

// currentGoroutine returns the calling goroutine. Its callers must be as deep in calls as each
// other, because a stack has some kilobytes.
//
//go:noinline
func currentGoroutine() goroutine {
	var here byte
	const leastStack = 11 // bits; the runtime's least stack has 2 KiB
	stack := uint64(uintptr(unsafe.Pointer(&here))) >> leastStack
	return 1 << (stack * 0x9e3779b97f4a7c15 >> 58) // Fibonacci hashing: the six highest bits
}

// goroutineSet is a set of goroutines.
type goroutineSet struct{ bits atomic.Uint64 }

func (s *goroutineSet) add(g goroutine) { s.bits.Or(uint64(g)) }

func (s *goroutineSet) clear() { s.bits.Store(0) }

// others returns how many goroutines but g are in the set. It may be too small, or too large by
// goroutines that came at two depths of their stacks.
func (s *goroutineSet) others(g goroutine) int { return bits.OnesCount64(s.bits.Load() &^ uint64(g)) }

var runnableSamples = sync.Pool{New: func() any {
	return &[1]metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
}}

// runnable returns how many goroutines wait for a processor. It takes some 150 ns on two
// processors, and more on many. It may wait for another goroutine's metrics.Read.
func runnable() int {
	s := runnableSamples.Get().(*[1]metrics.Sample)
	metrics.Read(s[:])
	n := int(s[0].Value.Uint64())
	runnableSamples.Put(s)
	return n
}
