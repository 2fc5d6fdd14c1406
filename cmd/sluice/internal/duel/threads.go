package duel

import (
	"sync"
	"time"
)

// sampleEvery is how often threads are counted. Threads of the Go runtime
// never end, so the last sample has them all; what comes and goes are the
// kernel's workers (iou-wrk), which live for seconds.
const sampleEvery = 20 * time.Millisecond

// watchThreads counts the OS threads of a process until the function that it
// returns is called, which gives the most there were. It is the parent that
// counts: in the worker it would be part of the measurement.
func watchThreads(pid int) (stop func() int) {
	var (
		wg   sync.WaitGroup
		done = make(chan struct{})
		peak int // the goroutine's until wg is done
	)
	wg.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			peak = max(peak, threads(pid))
			select {
			case <-tick.C:
			case <-done:
				peak = max(peak, threads(pid))
				return
			}
		}
	})
	return func() int {
		close(done)
		wg.Wait()
		return peak
	}
}
