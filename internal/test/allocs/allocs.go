// Package allocs checks in tests that code does not allocate.
package allocs

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

const calls, runs = 100, 20

// None fails the test if do allocates, or returns an error. do makes one call of the tested
// function. testing.AllocsPerRun is not enough: it divides by the number of runs, so that one
// allocation in every second call counts as none. With the race detector, None only checks the
// error.
func None(t testing.TB, what string, do func() error) {
	t.Helper()
	if raceEnabled { // a sync.Pool drops items at random
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	// Allocations of the runtime for another thread are counted, too. So one run without an
	// allocation is enough: if do allocates, it does so in every run of many calls.
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

// Least calls do in several rounds. It returns the number of allocations in the round with the
// fewest, and an error of do.
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
