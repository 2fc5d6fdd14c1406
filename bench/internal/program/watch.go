package program

import (
	"sync"
	"time"
)

// Peak is the most that a process had at any time it was looked at; 0 is what
// cannot be told.
type Peak struct {
	Threads int   // of the system, the kernel's workers for its rings included
	RSS     int64 // resident memory in bytes; the kernel keeps the most there ever was
}

// A process is looked at at its start, as it may be a short one, and then less and
// less often. Threads of the Go runtime never end, so the last sample
// has them all; what comes and goes are the kernel's workers (iou-wrk), which
// live for seconds.
const (
	firstSample = time.Millisecond
	sampleEvery = 20 * time.Millisecond
)

// Watch looks at a process until the function that it returns is called, which
// gives the most there was. The first look is before Watch returns, so that of a
// process that has not been waited for the threads are known. It is the parent
// that looks: in the process it would be part of the measurement.
func Watch(pid int) (stop func() Peak) {
	var (
		wg   sync.WaitGroup
		done = make(chan struct{})
		peak Peak // the goroutine's until wg is done
	)
	look := func() {
		now := Look(pid)
		peak = Peak{max(peak.Threads, now.Threads), max(peak.RSS, now.RSS)}
	}
	look()
	wg.Go(func() {
		for pause := firstSample; ; pause = min(2*pause, sampleEvery) {
			next := time.NewTimer(pause)
			select {
			case <-next.C:
				look()
			case <-done:
				next.Stop()
				look()
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
