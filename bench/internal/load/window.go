package load

import (
	"sync"
	"time"
)

// window is the part of a slice that counts. The lead-in before it does not count: if goroutines
// block in system calls, the runtime needs some ten milliseconds to make enough threads.
//
// An operation counts by the part of its time inside the window. If only whole operations counted,
// a shared fsync would add all or none of its operations. The latency counts in full, even if the
// operation ends after the window: otherwise the slowest operations would be missing.
type window struct {
	start       time.Time     // of the slice; written before the clients run
	open, close time.Duration // since start

	openOnce, closeOnce sync.Once
	cpuOpen, cpuClose   time.Duration // CPU time at open and close, written under the Onces
}

// share returns the part of an operation that lies in the window, usually 1. The operation must end
// after the window opens.
func (w *window) share(begin, end time.Duration) float64 {
	if begin >= w.open && end <= w.close {
		return 1
	}
	return float64(min(end, w.close)-max(begin, w.open)) / float64(end-begin)
}

// opened is called by each client when it first reads a time past open. The first call records the
// processor time.
func (w *window) opened() { w.openOnce.Do(func() { w.cpuOpen = cpuTime() }) }

// closed is called by each client when it is done. The first call records the processor time.
func (w *window) closed() { w.closeOnce.Do(func() { w.cpuClose = cpuTime() }) }

// cpu returns the processor time used in the window. It must be called after all clients are done.
// It returns 0 if a client was done before the window opened.
func (w *window) cpu() time.Duration {
	w.openOnce.Do(func() { w.cpuOpen = w.cpuClose })
	return max(0, w.cpuClose-w.cpuOpen)
}
