package ioengine

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// handover is how the leader hands a processor to the goroutines whose operations have completed.
// The leader alone uses it, but for ending and resume.
//
// Usually the leader makes all of these goroutines ready and yields. For a while after a slow yield
// (package pressure), goroutines wake each other in relays, and the very last one wakes the leader:
// docs/decisions/0003-cooperative-reaper.md. An idle processor cannot take the goroutines of a
// relay whose turn has not come, so there is a relay for each processor.
type handover struct {
	// waiters are the requests of one batch that are in relays. ending is the number of relays that
	// have not ended. The last goroutine of the last relay sends to resume.
	waiters []*Request
	ending  atomic.Int32
	resume  chan struct{}
	yielded time.Duration // when the last yield ended
}

// handOver hands the results of ops to the goroutines that wait for them, and lets these run.
func (e *Engine) handOver(ops []*driver.Op) {
	h := &e.hand
	h.waiters = h.waiters[:0]
	e.complete(ops, e.rings.Processors.Taken(e.rings.Now()))
	if len(h.waiters) == 0 {
		e.yield()
		return
	}
	e.setSpread(false) // the leader runs right after the last one of them
	h.wakeInRelays()
	<-h.resume
}

// yield lets the goroutines run that complete has made ready, and then those that these have made
// ready. If that takes an eighth of the time since the last yield, or more, operations are spread:
// their goroutines do something else between two of them. The eighth is chosen; a quarter is as
// good.
func (e *Engine) yield() {
	h := &e.hand
	began, ended := e.rings.Processors.Yield(2, e.rings.Now)
	e.setSpread(8*(ended-began) >= ended-h.yielded)
	h.yielded = ended
}

// setSpread sets spread, which pushers read, if it changes.
func (e *Engine) setSpread(spread bool) {
	if e.spread.Load() != spread {
		e.spread.Store(spread)
	}
}

// wakeInRelays makes relays of the goroutines that wait for waiters, one for each processor, unless
// they would be short. It wakes the first goroutine of each.
func (h *handover) wakeInRelays() {
	procs := runtime.GOMAXPROCS(0)
	length := max((len(h.waiters)+procs-1)/procs, twoBatches)
	h.ending.Store(int32((len(h.waiters) + length - 1) / length))
	for relay := range slices.Chunk(h.waiters, length) {
		for i, r := range relay[:len(relay)-1] {
			r.next = relay[i+1]
		}
		relay[0].done <- struct{}{}
	}
}

// wakeNext makes the next goroutine of the relay ready, or the leader. A goroutine in a relay calls
// it as soon as its own operation has ended.
func (r *Request) wakeNext() {
	h := &r.ring.hand
	if next := r.next; next != nil {
		r.next = nil
		next.done <- struct{}{}
	} else if h.ending.Add(-1) == 0 {
		h.resume <- struct{}{}
	}
}
