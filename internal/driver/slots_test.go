package driver_test

import (
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// No index is given out twice before it was released, while one goroutine takes and another one
// releases.
func TestFreeSlots(t *testing.T) {
	hang.Watch(t)
	const n, rounds = 8, 10_000
	var s driver.FreeSlots
	s.Init(n)
	var taken [n]atomic.Bool
	inFlight := make(chan uint32, n)
	go func() {
		defer close(inFlight)
		for range rounds {
			hang.Eventually(func() bool { return s.Available() > 0 })
			next := s.Next()
			i := s.Take()
			if i != next || taken[i].Swap(true) {
				t.Errorf("took %d, which is in use or not the next one, %d", i, next)
			}
			inFlight <- i
		}
	}()
	for i := range inFlight {
		taken[i].Store(false)
		s.Release(i)
	}
	if a, b := s.Available(), s.Busy(); a != n || b != 0 {
		t.Errorf("%d free, %d busy at the end; want %d, 0", a, b, n)
	}
	for range n {
		s.Take()
	}
	if a, b := s.Available(), s.Busy(); a != 0 || b != n {
		t.Errorf("%d free, %d busy of a full table; want 0, %d", a, b, n)
	}
}
