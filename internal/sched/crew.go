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
	jobs Jobs[Job, Own]

	mu      sync.Mutex
	running int
	// starting: one has been started that has not taken its first job.
	starting bool
	all      sync.WaitGroup
}

// Jobs is what a Crew does.
type Jobs[Job, Own any] interface {
	// OwnJob returns a job of the caller's own.
	OwnJob(*Own) (Job, bool)
	// TakeJob returns one that is there for all, and whether there is more for
	// others. It is called by one goroutine at a time, once OwnJob has none, and may
	// fill what is the caller's own. Neither waits.
	TakeJob(*Own) (job Job, more, ok bool)
	// DoJob does one.
	DoJob(Job)
}

// Init makes a Crew of at most so many that does those jobs. It is called before
// all else, once.
func (c *Crew[Job, Own]) Init(most int, jobs Jobs[Job, Own]) { c.most, c.jobs = most, jobs }

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
			c.work(new(Own))
		})
	}
}

// Join has the caller be one of the Crew, beyond how many that may be, until
// there is no job.
func (c *Crew[Job, Own]) Join(own *Own) {
	c.mu.Lock()
	c.running++
	c.mu.Unlock()
	c.work(own)
}

// work does jobs.
func (c *Crew[Job, Own]) work(own *Own) {
	job, ok := c.next(own, true)
	for ok {
		c.jobs.DoJob(job)
		if job, ok = c.jobs.OwnJob(own); !ok {
			job, ok = c.next(own, false)
		}
	}
}

// next takes a job from what is there for all. None is the goroutine's end.
func (c *Crew[Job, Own]) next(own *Own, first bool) (Job, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	job, more, ok := c.jobs.TakeJob(own)
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
