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
	ahead bool      // scouts and spares were started. Under mu
}

// start starts the other workers, and all if the tree is known to be cold. It is
// called by the first.
func (c *crew) start(first *worker) {
	for id := 1; id < c.queue.workers; id++ {
		other := c.add(id)
		c.running.Go(other.work)
	}
	if c.queue.isCold() {
		c.goAhead()
	}
}

// goAhead starts scouts and spares, once. It is called by workers, while they
// work.
func (c *crew) goAhead() {
	if c.queue.scouts == 0 || !c.first() {
		return
	}
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

// first tells whether nobody has called it before.
func (c *crew) first() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.ahead
	c.ahead = true
	return !was
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
