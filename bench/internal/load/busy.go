package load

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// newBusy starts the goroutines of Kind.Busy, if wanted: two for each processor. stop ends them.
func newBusy(wanted bool) (stop func()) {
	if !wanted {
		return func() {}
	}
	var (
		all   sync.WaitGroup
		ended atomic.Bool
	)
	for range 2 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			const units = 1 << 12 // some microseconds
			for x := uint64(1); !ended.Load(); {
				x = compute(x, units)
			}
		})
	}
	return func() {
		ended.Store(true)
		all.Wait()
	}
}
