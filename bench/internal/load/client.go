package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLatency bounds the histograms; what takes longer counts as this long.
const maxLatency = time.Minute

// client is one goroutine's share of a slice. It is allocated by itself so that
// no two clients write to the same cache line.
type client struct {
	buf   []byte // nil for sides with memory of their own
	burst int    // see Load.burst
	hist  *hdrhistogram.Histogram
	next  func() (off int64, ok bool) // ok is false when there is nothing left to do
	now   time.Duration               // when the last look at the clock was, since the slice's start
	ops   float64                     // in the window, see window.share
	err   error
}

// newClient returns a client. Its histogram resolves 1 %, which keeps what a busy
// client touches of it inside the L1 cache.
func newClient(burst int) *client {
	c := &client{burst: burst, hist: hdrhistogram.New(1, int64(maxLatency), 2)}
	c.hist.Reset() // touches it, before resident memory is looked at
	return c
}

// reset prepares the client for a slice.
func (c *client) reset(next func() (int64, bool)) {
	c.hist.Reset()
	c.next = next
	c.now, c.ops, c.err = 0, 0, nil
}

// run performs operations until the window closes, the client's offsets are
// used up, or an operation fails.
func (c *client) run(do func(buf []byte, off int64) error, w *window) {
	for c.now < w.close {
		n := c.perform(do)
		if n == 0 || c.err != nil {
			break
		}
		c.took(n, w)
	}
	w.closed()
}

// runMany lets many perform the operations.
func (c *client) runMany(many func(func() (int64, bool), func() bool) error, w *window) {
	c.err = many(c.next, func() bool {
		c.took(1, w)
		if c.now < w.close {
			return true
		}
		w.closed() // what is in flight is still to be waited for
		return false
	})
	w.closed()
}

// perform does a burst of operations, and returns how many.
func (c *client) perform(do func(buf []byte, off int64) error) (n int) {
	for ; n < c.burst; n++ {
		off, ok := c.next()
		if !ok {
			break
		}
		if c.err = do(c.buf, off); c.err != nil {
			break
		}
	}
	return n
}

// took accounts for n operations that have ended. Their end is the start of
// the next, so one look at the clock serves the latency and the window; the
// first ones start with the slice, so that a goroutine that waits for a
// processor waits for its operation.
func (c *client) took(n int, w *window) {
	prev := c.now
	c.now = time.Since(w.start)
	if c.now < w.open {
		return
	}
	if prev < w.open {
		w.opened()
	}
	_ = c.hist.RecordValue(int64(min((c.now-prev)/time.Duration(n), maxLatency))) // in range by the line itself
	c.ops += float64(n) * w.share(prev, c.now)
}
