package copytree

import "sync"

// crew are those who copy a tree with its first worker: the other workers, and,
// from when the caches first lack something, scouts and spares. Most trees are in
// memory, and what nobody needs would be some threads, and a megabyte.
type crew struct {
	*job
	running sync.WaitGroup

	mu    sync.Mutex
	all   []*worker // under mu
	ahead sync.Once // starts scouts and spares
}

// start starts the other workers, and all if the tree is known to be cold. It is
// called by the first.
func (c *crew) start() {
	for id := 1; id < c.queue.workers; id++ {
		other := c.add(id)
		c.running.Go(other.work)
	}
	if c.queue.isCold() {
		c.goAhead()
	}
}

// goAhead has scouts and spares started, once. It is called by workers, while they
// work.
func (c *crew) goAhead() {
	if c.queue.scouts > 0 {
		c.ahead.Do(c.startAhead)
	}
}

// startAhead starts scouts and spares.
func (c *crew) startAhead() {
	c.waits()
	scouts := c.queue.workers + c.queue.scouts
	for id := c.queue.workers; id < scouts+c.queue.spare; id++ {
		other := c.add(id)
		if id < scouts {
			other.pace.rest(true)
			ahead := &scout{worker: other}
			c.running.Go(ahead.scout)
		} else {
			c.running.Go(other.stand)
		}
	}
}

// waits tells, once, that calls take long from now on.
func (j *job) waits() {
	if j.o.OnWait != nil {
		j.told.Do(j.o.OnWait)
	}
}

// add makes a worker.
func (c *crew) add(id int) *worker {
	w := newWorker(c.job, id)
	w.crew = c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, w)
	return w
}

// wait waits for all, when the first worker has nothing left to do, and adds what
// they have counted.
func (c *crew) wait(counts *Result) {
	c.running.Wait()
	for _, w := range c.all {
		counts.add(&w.counts)
	}
}
