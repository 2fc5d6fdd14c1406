package model

import "time"

// cores is the processors of the machine, as the kernel shares them among threads. A thread keeps
// its core for one burst, a few microseconds. Then a thread that the kernel has woken comes first,
// and then the remaining threads in turn.
type cores struct {
	events
	free    int
	waiting [2]queue[burst] // of woken threads, and of all other threads
	used    time.Duration   // processor time
}

// burst is what a thread does on a core before it may lose it.
type burst struct {
	takes time.Duration
	then  func()
}

const (
	woken = iota
	usual
)

// run has a thread do something that takes so long. It calls then afterwards.
func (c *cores) run(rank int, takes time.Duration, then func()) {
	if c.free == 0 {
		c.waiting[rank].push(burst{takes, then})
		return
	}
	c.free--
	c.start(burst{takes, then})
}

func (c *cores) start(b burst) {
	c.used += b.takes
	c.add(b.takes, true, b.then)
}

// end gives the core of a burst that has ended to the next thread.
func (c *cores) end() {
	for rank := range c.waiting {
		if q := &c.waiting[rank]; q.len() > 0 {
			c.start(q.pop())
			return
		}
	}
	c.free++
}

// play has everything happen until a time.
func (c *cores) play(until time.Duration) {
	for c.next[0].at <= until { // the monitor always has a next event
		e := c.next.pop()
		if c.now = e.at; e.frees {
			c.end()
		}
		e.do()
	}
	c.now = until
}
