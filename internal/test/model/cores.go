package model

import (
	"cmp"
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
