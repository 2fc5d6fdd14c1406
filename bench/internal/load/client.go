package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLatency is the largest latency that the histograms hold. A longer latency counts as
// maxLatency.
const maxLatency = time.Minute

// client is one goroutine of a load. Each is allocated alone, so that no two clients write to the
// same cache line.
type client struct {
	buf   []byte // nil if the side reads into its own memory
	burst int    // Load.burst
	work  int    // units of computation after each operation (compute)
	sum   uint64 // result of the computation
	hist  *hdrhistogram.Histogram
	next  func() (off int64, ok bool) // next offset; ok is false after the last one
	now   time.Duration               // the last reading of the clock, since the slice's start
	ops   float64                     // operations in the window, parts included (window.share)
	err   error
}

// newClient returns a client. Its histogram has a resolution of 1 %, so that its busy part stays in
// the L1 cache.
func newClient(burst int) *client {
	c := &client{burst: burst, hist: hdrhistogram.New(1, int64(maxLatency), 2)}
	c.hist.Reset() // touches the pages before resident memory is measured
	return c
}

// reset prepares the client for a slice.
func (c *client) reset(next func() (int64, bool)) {
	c.hist.Reset()
	c.next = next
	c.now, c.ops, c.err = 0, 0, nil
}

// run performs operations until the window closes, there are no more offsets, or an operation
// fails.
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

// runMany performs the slice by one call of many, for sides whose operations are steps of a loop
// (target.many).
func (c *client) runMany(many func(func() (int64, bool), func() bool) error, w *window) {
	c.err = many(c.next, func() bool {
		c.took(1, w)
		if c.now < w.close {
			return true
		}
		w.closed() // many still waits for the operations in flight
		return false
	})
	w.closed()
}

// perform performs a burst of operations and returns their number.
func (c *client) perform(do func(buf []byte, off int64) error) (n int) {
	for ; n < c.burst; n++ {
		off, ok := c.next()
		if !ok {
			break
		}
		if c.err = do(c.buf, off); c.err != nil {
			break
		}
		if c.work > 0 {
			c.sum = compute(c.sum, c.work)
		}
	}
	return n
}

// took counts n operations that have ended. One reading of the clock serves the latency and the
// window: the end of an operation is the start of the next. The first operations start with the
// slice, because a goroutine that waits for a processor is waiting for its operation.
func (c *client) took(n int, w *window) {
	prev := c.now
	c.now = time.Since(w.start)
	if c.now < w.open {
		return
	}
	if prev < w.open {
		w.opened()
	}
	// Cannot fail: it is in range.
	_ = c.hist.RecordValue(int64(min((c.now-prev)/time.Duration(n), maxLatency)))
	c.ops += float64(n) * w.share(prev, c.now)
}
