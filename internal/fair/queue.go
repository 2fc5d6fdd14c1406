package fair

import (
	"slices"
	"time"

	"github.com/sluiceio/sluice/internal/list"
)

const (
	// RequestCost is the cost of a request beside its bytes, in bytes: a device makes fewer
	// requests of 4 KiB than its bandwidth has room for. Chosen: the bandwidth of most SSDs,
	// divided by their highest rate of small reads, is 10 to 20 KiB.
	RequestCost = 16 << 10 // 16 KiB
	// Part is the most of a request that is granted at once, a multiple of direct I/O's blocks.
	// Measured, as SmallPart: docs/results/mechanisms.md.
	Part = 512 << 10 // 512 KiB
	// SmallPart is the Part of a class that is held to Cap.Beside.
	SmallPart = 64 << 10 // 64 KiB
	// most is the most that is ever granted, so that no bucket overflows.
	most = 1 << 30 // 1 GiB
	// mostVirtual keeps tags exact to a fraction of a byte: a float64 has 53 bits.
	mostVirtual = 1 << 40
)

// Cap bounds the requests in flight.
type Cap struct {
	Depth int   // requests
	Bytes int64 // at least Part
	// Beside is the most bytes of a class in flight while a heavier class is interactive; at least
	// SmallPart.
	Beside int64
}

// Ticket is a request that waits, or is in flight. Its owner must not touch it from Push until Next
// has returned it or it was withdrawn, nor from then until Done.
type Ticket struct {
	Owner any
	Use   Use

	class *Class
	n     int // bytes asked for, and from Next on granted
	small bool
	asked time.Duration
	links list.Node[Ticket] // in Class.queue
	same  list.Node[Ticket] // in Class.byUse
}

// Use says what a request does with the device.
type Use uint8

// The uses.
const (
	Read Use = iota
	Write
	// OutsideCap is the use of a request with its class's limits that neither counts in the cap nor
	// is split. Writes into the page cache have it: they wait for the device only when the system
	// makes them wait, and then for long.
	OutsideCap
	uses // the number of uses
)

// Granted is how many bytes the Ticket may transfer.
func (t *Ticket) Granted() int { return t.n }

// part is how many bytes of the request would be granted.
func (t *Ticket) part() int {
	switch {
	case t.Use == OutsideCap:
		return min(t.n, most)
	case t.small:
		return min(t.n, SmallPart)
	}
	return min(t.n, Part)
}

// Queue holds the classes and their requests in flight.
type Queue struct {
	Cap        Cap
	classes    []*Class // Next takes removed ones out
	backlogged list.List[Class]
	virtual    float64
	bytes      int64
	byUse      [uses]int // requests in flight, by use; not counted for OutsideCap
}

// Add adds a class.
func (q *Queue) Add(now time.Duration, s Settings) *Class {
	c := &Class{ended: now - linger}
	c.Configure(now, s)
	q.classes = append(q.classes, c)
	return c
}

// Remove removes c. Its requests that wait or are in flight keep its weight until they end, without
// its limits. Next forgets c when the last of them has ended. The caller calls Next, and does not
// call Push or Admit with c any more.
func (q *Queue) Remove(now time.Duration, c *Class) {
	c.Configure(now, Settings{Weight: c.Weight})
	c.removed = true
}

// Push puts t, a request of n bytes, into the queue of its class. The caller then calls Next.
func (q *Queue) Push(now time.Duration, t *Ticket, c *Class, n int) {
	t.class, t.n, t.asked = c, n, now
	if c.queue.Len() == 0 {
		c.tag = max(c.tag, q.virtual)
		q.backlogged.PushBack(&c.links, c)
	}
	c.queue.PushBack(&t.links, t)
	c.byUse[t.Use].PushBack(&t.same, t)
}

// Admit lets t, a request of n bytes outside the cap, begin at once, whatever waits. Its class has
// no limits, and counts as active. The owner passes t to Done, as if Next had returned it, and then
// calls Next.
func (q *Queue) Admit(t *Ticket, c *Class, n int) {
	t.class, t.n, t.Use = c, n, OutsideCap
	c.inflight++
	c.stats.Requests++
}

// Next returns the next request that may begin, or nil. After nil the caller calls Next again after
// a Done, a Push or a change of settings, or at the time again, which may be Never.
func (q *Queue) Next(now time.Duration) (t *Ticket, again time.Duration) {
	q.classes = slices.DeleteFunc(q.classes, (*Class).gone)
	if q.virtual > mostVirtual {
		for _, c := range q.classes {
			c.tag -= q.virtual // it stays as far from the virtual time as it was
		}
		q.virtual = 0
	}
	c, again := q.first(now)
	if c != nil {
		if t = c.queue.Front(); q.room(t) {
			q.begin(now, c, t)
			return t, 0
		}
		for c := q.backlogged.Front(); c != nil; c = c.links.Next() {
			c.short = true // each waits for room
		}
	}
	for use := Read; use < uses; use++ {
		if q.byUse[use] == 0 { // always, for OutsideCap
			t, ready := q.beyondCap(now, use)
			if t != nil {
				return t, 0
			}
			again = min(again, ready)
		}
	}
	return nil, again
}

// beyondCap lets the next request of a use begin without room in the cap, because no request of
// that use is in flight. The device may answer reads while its writes hang, as a frozen file system
// does. A request outside the cap needs no room. beyondCap returns nil if the limits of their
// classes hold all waiting requests back. again is when the first of them may be ready.
func (q *Queue) beyondCap(now time.Duration, use Use) (next *Ticket, again time.Duration) {
	again = Never
	var least *Class
	for c := q.backlogged.Front(); c != nil; c = c.links.Next() {
		t := c.byUse[use].Front()
		if t == nil {
			continue
		}
		if ready := c.ready(now, t); ready > now {
			again = min(again, ready)
		} else if least == nil || c.tag < least.tag {
			least = c
		}
	}
	if least == nil {
		return nil, again
	}
	t, virtual := least.byUse[use].Front(), q.virtual
	t.small = true
	q.begin(now, least, t)
	q.virtual = virtual // it was not the turn of the class
	return t, 0
}

// first returns the class with the least tag among the classes whose limits allow a request. again
// is when the first of the remaining classes may be ready.
func (q *Queue) first(now time.Duration) (least *Class, again time.Duration) {
	again = Never
	weight := q.interactive(now)
	for c := q.backlogged.Front(); c != nil; c = c.links.Next() {
		t := c.queue.Front()
		t.small = c.Weight < weight
		ready := c.ready(now, t)
		switch {
		case ready > now:
			again = min(again, ready)
		case t.small && t.Use != OutsideCap && c.bytes > 0 && c.bytes+int64(t.part()) > q.Cap.Beside:
		case least == nil || max(c.tag, q.virtual) < max(least.tag, q.virtual):
			least = c
		}
	}
	return least, again
}

// interactive returns the greatest weight of an interactive class.
func (q *Queue) interactive(now time.Duration) int {
	weight := 0
	for _, c := range q.classes {
		if c.Weight > weight && c.interactive(now) {
			weight = c.Weight
		}
	}
	return weight
}

// inFlight returns how many requests are in flight that count in the cap.
func (q *Queue) inFlight() int { return q.byUse[Read] + q.byUse[Write] }

func (q *Queue) room(t *Ticket) bool {
	if t.Use == OutsideCap || q.inFlight() == 0 {
		return true
	}
	return q.inFlight() < q.Cap.Depth && q.bytes+int64(t.part()) <= q.Cap.Bytes
}

// begin takes t, the first of c, out of the queue, and counts it as in flight.
func (q *Queue) begin(now time.Duration, c *Class, t *Ticket) {
	q.remove(t)
	t.n = t.part()
	c.iops.take(now, 1)
	c.bytesLimit.take(now, t.n)
	c.inflight++
	waited := now - t.asked
	c.stats.Requests++
	c.stats.Waited += waited
	c.stats.LongestWait = max(c.stats.LongestWait, waited)
	if t.Use == OutsideCap {
		return
	}
	q.byUse[t.Use]++
	q.bytes += int64(t.n)
	c.bytes += int64(t.n)
	q.virtual = max(q.virtual, c.tag)
	c.tag = q.virtual + float64(RequestCost+t.n)/float64(c.Weight)
}

func (q *Queue) remove(t *Ticket) {
	c := t.class
	c.queue.Remove(&t.links)
	c.byUse[t.Use].Remove(&t.same)
	if c.queue.Len() == 0 {
		c.short = false
		q.backlogged.Remove(&c.links)
	}
}

// Withdraw takes t out of the queue and reports whether it was there. The caller then calls Next.
func (q *Queue) Withdraw(t *Ticket) bool {
	if t.class == nil || !t.class.queue.Has(&t.links) {
		return false
	}
	q.remove(t)
	return true
}

// WithdrawIf takes the tickets that match out of the queue, and returns them. The caller then calls
// Next.
func (q *Queue) WithdrawIf(match func(*Ticket) bool) (out []*Ticket) {
	for _, c := range q.classes {
		for t := c.queue.Front(); t != nil; {
			next := t.links.Next()
			if match(t) {
				q.remove(t)
				out = append(out, t)
			}
			t = next
		}
	}
	return out
}

// Done ends a request of Next, which has moved so many bytes. The caller then calls Next.
func (q *Queue) Done(now time.Duration, t *Ticket, moved int64) {
	c := t.class
	c.inflight--
	c.ended = now
	c.stats.Bytes += moved
	if t.Use == OutsideCap {
		return
	}
	q.byUse[t.Use]--
	q.bytes -= int64(t.n)
	c.bytes -= int64(t.n)
}
