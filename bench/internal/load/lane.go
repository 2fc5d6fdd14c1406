package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLatency bounds the histograms; what takes longer counts as this long.
const maxLatency = time.Minute

// lane is one goroutine's share of a slice. It is allocated by itself so that
// no two lanes write to the same cache line.
type lane struct {
	buf   []byte // nil for sides with memory of their own
	burst int    // see Load.burst
	hist  *hdrhistogram.Histogram
	next  func() (off int64, ok bool) // ok is false when there is nothing left to do
	now   time.Duration               // when the last look at the clock was, since the slice's start
	ops   float64                     // in the window, see window.share
	err   error
}

// newLane returns a lane. Its histogram resolves 1 %, which keeps what a busy
// lane touches of it inside the L1 cache.
func newLane(burst int) *lane {
	l := &lane{burst: burst, hist: hdrhistogram.New(1, int64(maxLatency), 2)}
	l.hist.Reset() // touches it, before resident memory is looked at
	return l
}

// reset prepares the lane for a slice.
func (l *lane) reset(next func() (int64, bool)) {
	l.hist.Reset()
	l.next = next
	l.now, l.ops, l.err = 0, 0, nil
}

// run performs operations until the window closes, the lane's offsets are
// used up, or an operation fails.
func (l *lane) run(do func(buf []byte, off int64) error, w *window) {
	for l.now < w.close {
		n := l.perform(do)
		if n == 0 || l.err != nil {
			break
		}
		l.took(n, w)
	}
	w.closed()
}

// runMany lets many perform the operations.
func (l *lane) runMany(many func(func() (int64, bool), func() bool) error, w *window) {
	l.err = many(l.next, func() bool {
		l.took(1, w)
		if l.now < w.close {
			return true
		}
		w.closed() // what is in flight is still to be waited for
		return false
	})
	w.closed()
}

// perform does a burst of operations, and returns how many.
func (l *lane) perform(do func(buf []byte, off int64) error) (n int) {
	for ; n < l.burst; n++ {
		off, ok := l.next()
		if !ok {
			break
		}
		if l.err = do(l.buf, off); l.err != nil {
			break
		}
	}
	return n
}

// took accounts for n operations that have ended. Their end is the start of
// the next, so one look at the clock serves the latency and the window; the
// first ones start with the slice, so that a goroutine that waits for a
// processor waits for its operation.
func (l *lane) took(n int, w *window) {
	prev := l.now
	l.now = time.Since(w.start)
	if l.now < w.open {
		return
	}
	if prev < w.open {
		w.opened()
	}
	_ = l.hist.RecordValue(int64(min((l.now-prev)/time.Duration(n), maxLatency))) // in range by the line itself
	l.ops += float64(n) * w.share(prev, l.now)
}
