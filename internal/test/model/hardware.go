package model

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

// events are what is to happen, in order: at times, or at points of a device's progress.
type events[At cmp.Ordered] []event[At]

type event[At cmp.Ordered] struct {
	at At
	do func()
}

// add adds an event, after the events at the same time.
func (e *events[At]) add(at At, do func()) {
	i := sort.Search(len(*e), func(i int) bool { return (*e)[i].at > at })
	*e = slices.Insert(*e, i, event[At]{at, do})
}

// pop takes the first element of s.
func pop[S ~[]T, T any](s *S) T {
	first := (*s)[0]
	*s = (*s)[1:]
	return first
}

// cores has the simulated time, and the processors of the machine, shared among threads as by the
// kernel. A thread keeps its core for one burst, a few microseconds. Then the next thread has it.
type cores struct {
	r       *rand.Rand
	now     time.Duration
	next    events[time.Duration]
	free    int
	waiting []func()      // they begin bursts of threads
	used    time.Duration // processor time
}

// after calls do when d has passed.
func (c *cores) after(d time.Duration, do func()) { c.next.add(c.now+d, do) }

// run makes a thread work on a core for takes. It calls then afterwards.
func (c *cores) run(takes time.Duration, then func()) {
	c.waiting = append(c.waiting, func() {
		c.used += takes
		c.after(takes, func() {
			c.free++
			c.share()
			then()
		})
	})
	c.share()
}

// share gives free cores to the threads that come next.
func (c *cores) share() {
	for c.free > 0 && len(c.waiting) > 0 {
		c.free--
		pop(&c.waiting)()
	}
}

// play lets everything happen until a time.
func (c *cores) play(until time.Duration) {
	for c.next[0].at <= until { // the monitor always has a next event
		e := pop(&c.next)
		c.now = e.at
		e.do()
	}
	c.now = until
}

// Device describes a device. With n operations in it, each takes (n+k)/Rate on average; k is such
// that a lone operation takes Latency. So the device performs Rate*n/(n+k) operations a second.
// fio's rates on the machines here follow that within 3 %, for 4 to 256 operations
// (docs/results/rand-depth.md). On the zero Device no operation waits.
type Device struct {
	Rate    float64       // the most operations a second
	Latency time.Duration // the time of a lone operation, at least 1/Rate
}

// perInterrupt is the number of operations in the device for each that an interrupt ends: of 64,
// six end at once.
const perInterrupt = 6

// device performs operations. n operations share it: in a second each makes a progress of
// rate/(n+k).
type device struct {
	*cores
	rate, k float64
	work    events[float64] // operations, each by the progress at which it ends
	ended   []func()        // operations that wait for an interrupt
	done    float64         // progress until when
	when    time.Duration
	speed   float64 // progress of each operation in a nanosecond
	turn    int     // the number of the current timer
}

// progress returns an operation's progress from the beginning until now.
func (d *device) progress() float64 { return d.done + float64(d.now-d.when)*d.speed }

// submit gives the device an operation, and calls then at its end. Three quarters of an operation's
// time are the same for all; the rest is exponential.
func (d *device) submit(then func()) {
	if d.rate == 0 {
		then()
		return
	}
	d.work.add(d.progress()+0.75+0.25*d.r.ExpFloat64(), then)
	d.wait()
}

// wait waits for the operation that ends first.
func (d *device) wait() {
	d.done, d.when, d.speed = d.progress(), d.now, 0
	if len(d.work) == 0 {
		return
	}
	d.speed = d.rate / 1e9 / (float64(len(d.work)+len(d.ended)) + d.k)
	d.turn++
	turn := d.turn
	d.after(time.Duration(max(0, d.work[0].at-d.done)/d.speed)+1, func() {
		if turn != d.turn {
			return
		}
		for len(d.work) > 0 && d.work[0].at <= d.progress() {
			d.ended = append(d.ended, pop(&d.work).do)
		}
		if n := len(d.work); n == 0 || len(d.ended) >= (n+len(d.ended))/perInterrupt {
			for _, then := range d.ended {
				then()
			}
			d.ended = nil
		}
		d.wait()
	})
}
