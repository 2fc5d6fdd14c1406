package counters

import (
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// Sum returns each operation and each byte once, however often counts have moved, and whether or
// not an operation fits into a recent.
func TestSum(t *testing.T) {
	const rounds, goroutines = half + half/2, 4
	var c Counters
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				c.Add(Cached, driver.Read, 1<<maxBits-1)
			}
			c.Add(Cached, driver.Read, 1<<maxBits)
			c.Add(Plain, driver.Write, 5)
			c.Add(Plain, driver.Write, 0)
			c.Add(Queued, driver.Read, -5)
			c.Add(Queued, driver.Fsync, 0)
		})
	}
	wg.Wait()
	want := Sums{
		Ops:     [numPaths]int64{goroutines * (rounds + 1), goroutines * 2, goroutines * 2},
		Read:    goroutines * (rounds*(1<<maxBits-1) + 1<<maxBits),
		Written: goroutines * 5,
	}
	if got := c.Sum(); got != want {
		t.Errorf("Sum = %+v; want %+v", got, want)
	}
}

// Each has the counts of its operations.
func TestOne(t *testing.T) {
	var one, other One
	for range half + 1 { // the first half moves
		one.Add(Plain, driver.Write, 7)
	}
	one.Add(Queued, driver.Read, 1<<maxBits)
	other.Add(Queued, driver.Fsync, 0)
	want := Sums{Ops: [numPaths]int64{Plain: half + 1, Queued: 1}, Written: 7 * (half + 1), Read: 1 << maxBits}
	if got := one.Sum(); got != want {
		t.Errorf("Sum = %+v; want %+v", got, want)
	}
}

// Sum never returns less than before while counts move.
func TestSumGrows(t *testing.T) {
	var c Counters
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 4 * half {
			c.Add(Cached, driver.Read, 1)
		}
	}()
	for last := int64(0); ; {
		sum := c.Sum()
		if sum.Ops[Cached] < last {
			t.Fatalf("Ops[Cached] = %d after %d", sum.Ops[Cached], last)
		}
		last = sum.Ops[Cached]
		select {
		case <-done:
			return
		default:
		}
	}
}
