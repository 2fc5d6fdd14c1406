// Package allocs is for tests of what does not allocate.
package allocs

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

const calls, runs = 100, 20

// None demands that do, which makes one call and returns its error, does not
// allocate. testing.AllocsPerRun alone would not do: it divides, so that an
// allocation in every second call is none.
//
// What the runtime allocates at the same time, for a thread or a goroutine more, is
// counted too. So do is called in runs of a hundred, and one run without any
// allocation will do: a path that allocates does so in every run. The garbage
// collector is off meanwhile, as it empties pools. With the race detector a sync.Pool drops
// items at random: then do is only called.
func None(t testing.TB, what string, do func() error) {
	t.Helper()
	if raceEnabled {
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	least, err := Least(func() error {
		for range calls {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if least > 0 {
		t.Errorf("%s: %v allocations at least in each of %d runs of %d calls; want a run with 0", what, least, runs, calls)
	}
}

// Least returns the allocations of that run of do which has the fewest, of some
// runs; and an error of do.
func Least(do func() error) (n float64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n = math.Inf(1)
	for i := 0; i < runs && n > 0 && err == nil; i++ {
		n = min(n, testing.AllocsPerRun(1, func() {
			if e := do(); e != nil {
				err = e
			}
		}))
	}
	return n, err
}
