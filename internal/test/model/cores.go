package model

import "time"

// cores has the processors of the machine, shared among threads as by the kernel. A thread keeps
// its core for one burst, a few microseconds. A woken thread comes next, and then the other threads
// in turn.
type cores struct {
	events
	free    int
	waiting [2]queue[burst] // of woken threads, and of other threads
	used    time.Duration   // processor time
}

// burst is a thread's work on a core before it may lose the core.
type burst struct {
	takes time.Duration
	then  func()
}

const (
	woken = iota
	usual
)

// run makes a thread work on a core for takes. It calls then afterwards.
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

// end passes the core of an ended burst to the next thread.
func (c *cores) end() {
	for rank := range c.waiting {
		if q := &c.waiting[rank]; q.len() > 0 {
			c.start(q.pop())
			return
		}
	}
	c.free++
}

// play lets everything happen until a time.
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
