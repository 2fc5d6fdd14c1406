// Package workers shares work among goroutines: a Pool of goroutines, and a Range of jobs that one
// goroutine owns and others take from.
package workers

import "sync"

// Pool is a bounded set of goroutines, the workers, that do jobs until there are none. A worker
// starts while there are jobs and every earlier worker has taken one. So jobs that do not wait get
// few workers, and jobs that wait get many.
//
// Each worker has a value of type Own, and takes jobs from it without contention. Other workers
// take jobs from it when the common jobs have run out.
//
// All methods may be called at the same time. Wait must be called after the last Call.
type Pool[Job, Own any] struct {
	most int
	jobs Jobs[Job, Own]

	mu      sync.Mutex
	running int
	// starting is set while a new worker does not run yet.
	starting bool
	all      sync.WaitGroup
}

// Jobs is the work of a Pool.
type Jobs[Job, Own any] interface {
	// OwnJob returns a job from the caller's Own value.
	OwnJob(*Own) (Job, bool)
	// TakeJob returns a common job. more reports whether there are jobs for other workers. A worker
	// calls it for its first job, and whenever OwnJob has none. One goroutine at a time calls it.
	// It may fill the caller's Own value. Neither OwnJob nor TakeJob may wait.
	TakeJob(*Own) (job Job, more, ok bool)
	// DoJob does one job.
	DoJob(Job)
}

// Init sets the most workers and their jobs. It must be called once, before all other methods.
func (p *Pool[Job, Own]) Init(most int, jobs Jobs[Job, Own]) { p.most, p.jobs = most, jobs }

// Call says that there may be a job, and starts a worker if there is room for one.
func (p *Pool[Job, Own]) Call() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.call()
}

// call is Call. It must be called with mu held.
func (p *Pool[Job, Own]) call() {
	if !p.starting && p.running < p.most {
		p.starting = true
		p.running++
		p.all.Go(func() {
			p.mu.Lock()
			p.starting = false
			p.mu.Unlock()
			p.work(new(Own))
		})
	}
}

// Join makes the caller a worker until there is no job. The caller counts as one, and may exceed
// the most workers.
func (p *Pool[Job, Own]) Join(own *Own) {
	p.mu.Lock()
	p.running++
	p.mu.Unlock()
	p.work(own)
}

// work does jobs until there are none.
func (p *Pool[Job, Own]) work(own *Own) {
	job, ok := p.next(own, true)
	for ok {
		p.jobs.DoJob(job)
		if job, ok = p.jobs.OwnJob(own); !ok {
			job, ok = p.next(own, false)
		}
	}
}

// next takes a common job. If there is none, the worker must end.
func (p *Pool[Job, Own]) next(own *Own, first bool) (Job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	job, more, ok := p.jobs.TakeJob(own)
	switch {
	case !ok:
		p.running-- // with mu held: a later Call starts another worker
	case first && more:
		p.call()
	}
	return job, ok
}

// Wait returns when all workers that were started have ended. It does not wait for callers of Join.
func (p *Pool[Job, Own]) Wait() { p.all.Wait() }
