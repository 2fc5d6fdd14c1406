package walk

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// pool has the goroutines that copy a tree beside the first worker: the other workers, and after
// the first miss of the page cache prefetchers and more workers. Most trees are in memory, and
// there these would cost threads and a megabyte for nothing.
type pool struct {
	walk    *Walk
	running sync.WaitGroup
	cold    sync.Once // starts the goroutines for a cold tree

	mu      sync.Mutex
	workers []*worker // guarded by mu
}

// start starts the other workers. If the tree is known to be cold, it also calls startCold. The
// first worker calls it.
func (p *pool) start() {
	for id := 1; id < p.walk.queue.Workers; id++ {
		w := p.add(id)
		p.running.Go(w.work)
	}
	if p.walk.queue.Cold() {
		p.startCold()
	}
}

// startCold starts the prefetchers and workers for a cold tree, once. Any worker may call it.
func (p *pool) startCold() {
	q := &p.walk.queue
	if q.Prefetchers == 0 {
		return
	}
	p.cold.Do(func() {
		p.walk.waits()
		for id := range q.ColdWorkers {
			w := p.add(q.Workers + id)
			p.running.Go(w.work)
		}
		for id := range q.Prefetchers {
			f := &prefetcher{w: p.add(q.Workers + q.ColdWorkers + id)}
			f.w.maker.Hold.Allow(false)
			p.running.Go(f.run)
		}
	})
}

// add makes a worker.
func (p *pool) add(id int) *worker {
	w := newWorker(p.walk, id)
	w.pool = p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers = append(p.workers, w)
	return w
}

// wait waits until all goroutines have ended, and adds their counts. It is called when the first
// worker has nothing left to do.
func (p *pool) wait(counts *report.Counts) {
	p.running.Wait()
	for _, w := range p.workers {
		counts.Add(&w.maker.Counts)
	}
}
