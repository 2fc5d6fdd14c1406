package load

import (
	"slices"
	"sync/atomic"
	"time"
)

// sleep is the time for which the goroutine of Load.Sleeper sleeps.
const sleep = time.Millisecond

// newSleeper starts the goroutine of Load.Sleeper, if wanted. stop ends it, and returns how late it
// woke while the window was open: the median and the longest.
func newSleeper(wanted bool, w *window) (stop func() (median, longest time.Duration)) {
	if !wanted {
		return func() (time.Duration, time.Duration) { return 0, 0 }
	}
	var ended atomic.Bool
	late := make(chan []time.Duration, 1)
	go func() { late <- sleepUntil(&ended, w) }()
	return func() (time.Duration, time.Duration) {
		ended.Store(true)
		all := <-late
		if len(all) == 0 {
			return 0, 0
		}
		slices.Sort(all)
		return all[len(all)/2], all[len(all)-1]
	}
}

// sleepUntil sleeps until ended is set. It returns how late it woke each time. Each sleep begins
// where the one before has ended, and the first one with the slice, as the operations of a client
// do. So there is a sleep in each window that closes before ended is set.
func sleepUntil(ended *atomic.Bool, w *window) (late []time.Duration) {
	for before := time.Duration(0); ; {
		over := ended.Load()
		time.Sleep(sleep)
		now := time.Since(w.start)
		if now > w.open && before < w.close {
			late = append(late, now-before-sleep)
		}
		if over {
			return late
		}
		before = now
	}
}
