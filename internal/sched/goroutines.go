package sched

import (
	"math/bits"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sys"
)

// goroutine is a set of one goroutine, as a mask. Two goroutines have the same one with a chance of
// 1 in 64.
type goroutine uint64

// currentGoroutine returns the calling goroutine.
func currentGoroutine() goroutine { return 1 << (sys.Goroutine() >> 26) }

// goroutineSet is a set of goroutines.
type goroutineSet struct{ bits atomic.Uint64 }

func (s *goroutineSet) add(g goroutine) { s.bits.Or(uint64(g)) }

func (s *goroutineSet) clear() { s.bits.Store(0) }

// others returns how many goroutines but g are in the set. It may be too small.
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
