package load

import (
	"sync"
	"time"
)

// window is the part of a slice that counts. What comes before is a lead-in:
// a Go program whose goroutines block in system calls needs some ten
// milliseconds until the runtime has given threads to all of them.
//
// An operation counts by the part of its time that lies in the window: whole
// ones would make a window count none or all of the operations that a shared
// fsync ends at once. Its latency counts in full, also if it ends after the
// window: the slowest would be missing otherwise.
type window struct {
	start       time.Time     // of the slice; written before the clients run
	open, close time.Duration // since start

	openOnce, closeOnce sync.Once
	cpuOpen, cpuClose   time.Duration // processor time then, written under the Onces
}

// share returns how much of an operation from begin to end lies in the window,
// given that it ends after the window opens: nearly always 1.
func (w *window) share(begin, end time.Duration) float64 {
	if begin >= w.open && end <= w.close {
		return 1
	}
	return float64(min(end, w.close)-max(begin, w.open)) / float64(end-begin)
}

// opened is called by each client when it is the first time past open; the first
// of them takes the processor time.
func (w *window) opened() { w.openOnce.Do(func() { w.cpuOpen = cpuTime() }) }

// closed is called by each client when it is done.
func (w *window) closed() { w.closeOnce.Do(func() { w.cpuClose = cpuTime() }) }

// cpu returns the processor time used in the window, once all clients are done:
// none if they, or the first of them, were done before it opened.
func (w *window) cpu() time.Duration {
	w.openOnce.Do(func() { w.cpuOpen = w.cpuClose })
	return max(0, w.cpuClose-w.cpuOpen)
}
