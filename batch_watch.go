package sluice

import (
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/list"
)

// batchWatch calls the crew of a Batch whose caller is alone and has been at one chain
// for long: an operation waits, for a server, say, or for the other end of a FIFO,
// that another one of the Batch may be about to open.
type batchWatch struct {
	mu      sync.Mutex
	runs    list.List[batchRun] // with a caller who is alone. Under mu, as all else
	looking bool                // a timer is set
	used    bool                // there was a Batch since it was
	stopped bool
	timers  sync.WaitGroup
}

// batchWatchTick is how often one looks while there are Batches. So the others begin
// after one to two times as long.
const batchWatchTick = 10 * time.Millisecond

// add is told that r's caller is alone. A timer is not set for each: one that is set
// looks at those who come meanwhile too.
func (w *batchWatch) add(r *batchRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs.PushBack(&r.links, r)
	w.used = true
	if !w.looking {
		w.looking = true
		w.set()
	}
}

// set sets the timer. Under mu.
func (w *batchWatch) set() {
	w.timers.Add(1)
	time.AfterFunc(batchWatchTick, w.look)
}

// remove is told that r's caller is not alone any more, or has ended.
func (w *batchWatch) remove(r *batchRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs.Remove(&r.links)
}

// look calls the crews of those that were at the same chain when it looked last.
func (w *batchWatch) look() {
	defer w.timers.Done()
	w.mu.Lock()
	defer w.mu.Unlock()
	for r := w.runs.Front(); r != nil; r = r.links.Next() {
		left := r.own.Len() + 1
		if r.seen == left {
			r.call()
		}
		r.seen = left
	}
	if w.looking = w.used && !w.stopped; w.looking {
		w.set()
	}
	w.used = w.runs.Len() > 0
}

// stop returns when there is no timer. There are no Batches any more.
func (w *batchWatch) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.timers.Wait()
}
