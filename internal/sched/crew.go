package sched

import "sync"

// Crew is goroutines that do jobs until there are none, at most so many. One is
// started while there are jobs and the ones before have each taken one: few for
// jobs that do not wait, all for jobs that do.
//
// Each has something of its own, Own, to take jobs from without the others, and
// for these to take from when there are no more.
//
// All methods may be called at the same time; Wait after the last Call.
type Crew[Job, Own any] struct {
	most int
	own  func(*Own) (Job, bool)
	take func(*Own) (job Job, more, ok bool)
	do   func(Job)

	mu      sync.Mutex
	running int
	// starting: one has been started that has not taken its first job.
	starting bool
	all      sync.WaitGroup
}

// NewCrew returns a Crew that does what own returns, and when that says that there
// is nothing, what take returns, until that says so too. Take also tells whether
// there is more for others; it is called by one goroutine at a time, and may fill
// what is the caller's own. Neither waits.
func NewCrew[Job, Own any](
	most int, own func(*Own) (Job, bool), take func(*Own) (job Job, more, ok bool), do func(Job),
) *Crew[Job, Own] {
	return &Crew[Job, Own]{most: most, own: own, take: take, do: do}
}

// Call is called when there may be a job.
func (c *Crew[Job, Own]) Call() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.call()
}

// call is Call. Under mu.
func (c *Crew[Job, Own]) call() {
	if !c.starting && c.running < c.most {
		c.starting = true
		c.running++
		c.all.Go(func() {
			c.mu.Lock()
			c.starting = false
			c.mu.Unlock()
			c.work()
		})
	}
}

// Join has the caller be one of the Crew, beyond how many that may be, until
// there is no job.
func (c *Crew[Job, Own]) Join() {
	c.mu.Lock()
	c.running++
	c.mu.Unlock()
	c.work()
}

// work does jobs.
func (c *Crew[Job, Own]) work() {
	own := new(Own)
	job, ok := c.next(own, true)
	for ok {
		c.do(job)
		if job, ok = c.own(own); !ok {
			job, ok = c.next(own, false)
		}
	}
}

// next takes a job from what is there for all. None is the goroutine's end.
func (c *Crew[Job, Own]) next(own *Own, first bool) (Job, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	job, more, ok := c.take(own)
	switch {
	case !ok:
		c.running-- // under mu: who calls from here on starts another
	case first && more:
		c.call()
	}
	return job, ok
}

// Wait returns when none of the Crew is left.
func (c *Crew[Job, Own]) Wait() { c.all.Wait() }
