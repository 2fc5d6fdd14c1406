package sched

import (
	"math/bits"
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
