package fair

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/seed"
)

// disk is a device in virtual time. It takes the requests that the Queue lets begin, serves them
// side by side, and ends each in time.
type disk struct {
	t      testing.TB
	q      *Queue
	r      *rand.Rand
	now    time.Duration
	events events
	serial int
	wake   time.Duration // when pump must run again, at the latest
	// cost is the cost of the begun requests of each class, and begun has their times.
	cost  map[*Class]float64
	begun map[*Class][]time.Duration
}

// event is a request's end, or a time to do something.
type event struct {
	at     time.Duration
	serial int // orders requests of one time
	do     func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, k int) bool {
	return e[i].at < e[k].at || e[i].at == e[k].at && e[i].serial < e[k].serial
}
func (e events) Swap(i, k int) { e[i], e[k] = e[k], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func newDisk(t testing.TB, c Cap) *disk {
	start := seed.Of(t)
	return &disk{
		t: t, q: &Queue{Cap: c}, r: rand.New(rand.NewPCG(start, 0)),
		cost: map[*Class]float64{}, begun: map[*Class][]time.Duration{},
	}
}

func (d *disk) after(wait time.Duration, do func()) {
	d.serial++
	heap.Push(&d.events, event{d.now + wait, d.serial, do})
}

// stream reads one request after the other, of n bytes.
func (d *disk) stream(c *Class, n int) {
	t := &Ticket{Owner: c}
	d.q.Push(d.now, t, c, n)
	left := n
	t.Owner = func() {
		if left -= t.Granted(); left == 0 {
			left = n
		}
		d.q.Push(d.now, t, c, left)
	}
}

// service returns how long a request takes.
func (d *disk) service(n int) time.Duration {
	return 50*time.Microsecond + time.Duration(n)*time.Nanosecond + time.Duration(d.r.IntN(20_000))
}

// pump begins all requests that may begin.
func (d *disk) pump() {
	for {
		t, again := d.q.Next(d.now)
		if t == nil {
			if again != Never && (d.wake <= d.now || again < d.wake) {
				d.wake = again
				d.after(again-d.now, func() {})
			}
			return
		}
		c := t.class
		d.cost[c] += float64(RequestCost + t.Granted())
		d.begun[c] = append(d.begun[c], d.now)
		d.within(c)
		d.after(d.service(t.Granted()), func() {
			d.q.Done(d.now, t, int64(t.Granted()))
			if t.Owner != nil {
				t.Owner.(func())()
			}
		})
	}
}

// within checks the bounds of the requests in flight.
func (d *disk) within(c *Class) {
	lone := d.q.inFlight() == 1
	if d.q.inFlight() > d.q.Cap.Depth || d.q.bytes > d.q.Cap.Bytes && !lone || c.Depth > 0 && c.inflight > c.Depth {
		d.t.Fatalf("%d requests of %d bytes in flight, %d of the class; the cap is %+v, the class's depth %d",
			d.q.inFlight(), d.q.bytes, c.inflight, d.q.Cap, c.Depth)
	}
}

// run lets time pass until end.
func (d *disk) run(end time.Duration) {
	d.pump()
	for len(d.events) > 0 && d.events[0].at <= end {
		e := heap.Pop(&d.events).(event)
		d.now = e.at
		e.do()
		d.pump()
	}
	d.now = end
}
