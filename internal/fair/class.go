package fair

import (
	"time"

	"github.com/sluiceio/sluice/internal/list"
)

// Settings are the weight and the limits of a Class.
type Settings struct {
	Weight int   // its share, relative to the weights of other classes; at least 1
	IOPS   int64 // requests a second; 0: no limit
	Bytes  int64 // bytes a second; 0: no limit
	Depth  int   // requests in flight; 0: no limit
}

// Limited reports whether there are limits.
func (s Settings) Limited() bool { return s.IOPS > 0 || s.Bytes > 0 || s.Depth > 0 }

// Most bounds the rates of Settings, so that no sum overflows.
const Most = 1 << 38 // 256 GiB, or as many requests

// linger is how long a class stays active after its last request. If a class has a request each 50
// ms, all other classes keep the device partly free. Chosen: a few requests of a hard disk.
const linger = 50 * time.Millisecond

// Class is the requests that share a weight and limits.
type Class struct {
	Settings
	iops, bytesLimit bucket

	queue list.List[Ticket]
	byUse [uses]list.List[Ticket] // the same tickets
	links list.Node[Class]        // in Queue.backlogged, while queue is not empty
	tag   float64
	// short is set if the cap had no room while requests of the class waited, since its queue was
	// last empty.
	short bool
	// inflight is the number of requests in flight, and bytes are their bytes. Tickets outside the
	// cap do not count in bytes.
	inflight int
	bytes    int64
	ended    time.Duration // the end of the last request
	removed  bool          // see Queue.Remove

	stats Stats
}

// Stats are the counters of a Class.
type Stats struct {
	Queued, InFlight int
	Requests         int64 // requests that have begun; each granted part counts
	Bytes            int64 // that ended requests have moved
	Waited           time.Duration
	LongestWait      time.Duration
}

// Add adds the counters of o.
func (s *Stats) Add(o Stats) {
	s.Queued += o.Queued
	s.InFlight += o.InFlight
	s.Requests += o.Requests
	s.Bytes += o.Bytes
	s.Waited += o.Waited
	s.LongestWait = max(s.LongestWait, o.LongestWait)
}

// Stats returns the class's counters.
func (c *Class) Stats() Stats {
	s := c.stats
	s.Queued, s.InFlight = c.queue.Len(), c.inflight
	return s
}

// Configure changes the settings.
func (c *Class) Configure(now time.Duration, s Settings) {
	c.Settings = s
	c.iops.set(now, s.IOPS)
	c.bytesLimit.set(now, s.Bytes)
}

// gone reports whether the class was removed, and none of its requests waits or is in flight.
func (c *Class) gone() bool { return c.removed && c.queue.Len() == 0 && c.inflight == 0 }

// ready returns when the class's own limits let t, which waits in its queue, begin.
func (c *Class) ready(now time.Duration, t *Ticket) time.Duration {
	if c.Depth > 0 && c.inflight >= c.Depth {
		return Never
	}
	return max(c.iops.ready(now, 1), c.bytesLimit.ready(now, t.part()))
}

// interactive reports whether the class was active lately, and has not waited for room in the cap.
func (c *Class) interactive(now time.Duration) bool {
	return !c.short && (c.inflight > 0 || c.queue.Len() > 0 || now-c.ended < linger)
}
