//go:build amd64 || arm64

package uring

import "github.com/sluiceio/sluice/internal/sys"

// waits counts how often Reap had to wait, from the first call of Waits on. Only the goroutine in
// Reap uses it. It samples one in sampleEvery of the calls that enter the kernel, because asking
// for the thread's switches before and after takes some 200 ns.
type waits struct {
	counts        bool
	calls         uint32 // calls that have entered the kernel
	known, waited uint32
}

const sampleEvery = 4

// Waits implements driver.WaitCounter.
func (r *Ring) Waits() (known, waited uint32) {
	r.waits.counts = true
	return r.waits.known, r.waits.waited
}

// foundAll notes a Reap that has found all it needs without entering the kernel. Before the first
// call of Waits begin does not sample, so foundAll must not count. Otherwise the Reaps up to that
// call would look as if none of them had waited.
func (w *waits) foundAll() {
	if w.counts {
		w.known++
	}
}

// begin notes that the goroutine is about to enter the kernel. If that is sampled, the caller calls
// end afterwards.
func (w *waits) begin() (switches int64, sampled bool) {
	if w.calls++; !w.counts || w.calls%sampleEvery != 0 {
		return 0, false
	}
	return sys.ThreadWaits()
}

// end notes that the kernel has returned. A goroutine that has changed threads during the call has
// waited, too: for a processor of the Go scheduler.
func (w *waits) end(before int64) {
	if after, ok := sys.ThreadWaits(); ok {
		w.known += sampleEvery
		if after != before {
			w.waited += sampleEvery
		}
	}
}
