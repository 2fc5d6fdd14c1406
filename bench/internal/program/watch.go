package program

import (
	"sync"
	"time"
)

// Peak has a process's largest sampled values; 0 means unknown.
type Peak struct {
	Threads int   // OS threads, including the kernel's workers for its io_urings
	RSS     int64 // resident memory in bytes: the kernel's peak, so no sample misses it
}

// A process may be short, so the first samples follow each other quickly, and later ones less so.
// The Go runtime never ends a thread, so the last sample has all of them. Only the kernel's workers
// (iou-wrk) come and go, and they live for seconds.
const (
	firstSample = time.Millisecond
	sampleEvery = 20 * time.Millisecond
)

// Watch samples a process until stop is called. stop returns the peak. The first sample is taken
// before Watch returns, so that any process that has not been waited for has one. The parent takes
// the samples: in the process they would be part of the measurement.
func Watch(pid int) (stop func() Peak) {
	var (
		wg   sync.WaitGroup
		done = make(chan struct{})
		peak Peak // written by the goroutine until wg is done
	)
	sample := func() {
		now := Look(pid)
		peak = Peak{max(peak.Threads, now.Threads), max(peak.RSS, now.RSS)}
	}
	sample()
	wg.Go(func() {
		for pause := firstSample; ; pause = min(2*pause, sampleEvery) {
			next := time.NewTimer(pause)
			select {
			case <-next.C:
				sample()
			case <-done:
				next.Stop()
				sample()
				return
			}
		}
	})
	return func() Peak {
		close(done)
		wg.Wait()
		return peak
	}
}
