// Package queue has the work that is left of a tree: directories to read, and batches of their
// entries to copy.
//
// While the tree is cached (hot), each worker takes a directory (Next), reads it and copies its
// entries. It takes the directory that it found last, so that the queue grows with the depth of the
// tree and not with its width. If it has none left, it takes the oldest directory of another
// worker, because that one leads to the most work. Workers in the same directory wait for each
// other in the kernel. So a worker helps with another worker's directory (Offer) only if no other
// directory is left.
//
// While workers must wait for the disk (cold), prefetchers take the directories (NextDir), open
// their files, begin to read them, and deliver batches of them to the workers (Deliver). More
// workers copy then, because each still waits for the disk: for the rest of large files, and for
// the file system's reads to make a copy.
//
// # Concurrency
//
// Several goroutines may use a Queue, one for each id.
package queue

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// Limits bounds the memory and the open files, whatever the tree.
type Limits struct {
	Workers     int // goroutines that copy; their ids are 0 to Workers-1
	ColdWorkers int // goroutines that copy while the tree is cold; their ids follow
	Prefetchers int // goroutines that read ahead; their ids follow. 0: a tree is never cold
	OpenAhead   int // descriptors of delivered batches; beyond it prefetchers wait
	Dirs        int // waiting directories; beyond it a reader goes down first
}

// Queue is the remaining work of one tree at a time.
type Queue struct {
	Limits

	stopped atomic.Bool // nothing more may begin

	mu         sync.Mutex
	work       sync.Cond     // wakes workers: a batch is ready, or a directory while hot
	ahead      sync.Cond     // wakes prefetchers: a directory, or OpenAhead allows more
	found      [][]*dirs.Dir // directories to read, by their finder's id; guarded by mu
	waiting    int           // directories in found; guarded by mu
	delivered  []*Batch      // batches from prefetchers; guarded by mu
	offered    []*Batch      // batches in progress that others may help with; guarded by mu
	unfinished int           // known directories that are not finished; guarded by mu
	openAhead  int           // unreleased descriptors of delivered batches; guarded by mu
	cold       bool          // prefetchers run; guarded by mu
	alone      bool          // only worker 0 gets work; guarded by mu
}

// Init prepares an empty Queue. It must be called first.
func (q *Queue) Init(l Limits) {
	q.Limits = l
	q.found = make([][]*dirs.Dir, q.Workers+q.ColdWorkers+q.Prefetchers)
	q.work.L, q.ahead.L = &q.mu, &q.mu
}

// Start makes d, the root of a tree, the only work.
func (q *Queue) Start(d *dirs.Dir) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.found[0] = append(q.found[0][:0], d)
	q.waiting, q.unfinished, q.openAhead, q.alone = 1, 1, 0, false
}

// Stop ends all goroutines that wait here now or later.
func (q *Queue) Stop() {
	q.stopped.Store(true)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wakeAll()
}

// Stopped reports whether Stop was called.
func (q *Queue) Stopped() bool { return q.stopped.Load() }

// wakeAll wakes all waiting goroutines. It must be called with mu held.
func (q *Queue) wakeAll() {
	q.work.Broadcast()
	q.ahead.Broadcast()
}

// Next returns the next work for a worker: a batch to copy or a directory to read. An offered batch
// comes last. Next waits until there is work. It returns neither when the tree is finished or Stop
// was called. It also reports whether the tree is cold.
func (q *Queue) Next(id int) (_ *Batch, _ *dirs.Dir, cold bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for (q.alone && id > 0 || !q.cold && id >= q.Workers) && q.unfinished > 0 && !q.Stopped() {
			q.work.Wait()
		}
		if b := q.takeDelivered(); b != nil {
			return b, nil, q.cold
		}
		if q.unfinished == 0 || q.Stopped() {
			return nil, nil, q.cold
		}
		if !q.cold {
			if d := q.takeDir(id); d != nil {
				return nil, d, false
			}
		}
		if b := q.joinOffered(); b != nil {
			return b, nil, q.cold
		}
		q.work.Wait()
	}
}

// takeDelivered takes a batch that a prefetcher has delivered, or returns nil. It must be called
// with mu held.
func (q *Queue) takeDelivered() *Batch {
	if len(q.delivered) == 0 {
		return nil
	}
	b := q.delivered[0]
	q.delivered[0] = nil
	q.delivered = q.delivered[1:]
	return b
}

// Deliver gives batches to the workers. It returns when the workers have so few left that more may
// be opened.
func (q *Queue) Deliver(all []*Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range all {
		b.users, b.openAhead = 1, len(b.Entries)+2
		q.openAhead += b.openAhead
	}
	q.delivered = append(q.delivered, all...)
	q.work.Broadcast()
	for q.openAhead >= q.OpenAhead && !q.Stopped() {
		q.ahead.Wait()
	}
}

// Offer lets other workers help with a batch that the caller copies. A second call does nothing.
func (q *Queue) Offer(b *Batch) {
	if b.offered || b.Empty() || q.Workers+q.ColdWorkers == 1 {
		return
	}
	if b.openAhead == 0 { // a delivered batch already has its own names
		b.OwnNames()
	}
	b.offered = true
	q.mu.Lock()
	defer q.mu.Unlock()
	q.offered = append(q.offered, b)
	q.work.Broadcast()
}

// joinOffered makes the caller a user of an offered batch, or returns nil. It must be called with
// mu held.
func (q *Queue) joinOffered() *Batch {
	for len(q.offered) > 0 {
		b := q.offered[len(q.offered)-1]
		if !b.Empty() {
			b.users++
			return b
		}
		q.offered = q.offered[:len(q.offered)-1]
	}
	return nil
}

// Release ends the caller's use of b, and reports whether the caller was the last
// user.
func (q *Queue) Release(b *Batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b.users--; b.users > 0 {
		return false
	}
	if b.offered {
		q.offered = slices.DeleteFunc(q.offered, func(x *Batch) bool { return x == b })
	}
	if b.openAhead > 0 {
		q.openAhead -= b.openAhead
		q.ahead.Broadcast()
	}
	return true
}

// SetAlone makes Next give work only to worker 0, or to all workers again. Each worker finishes its
// current work.
func (q *Queue) SetAlone(alone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.alone != alone {
		q.alone = alone
		q.work.Broadcast()
	}
}

// SetCold starts or stops the prefetchers.
func (q *Queue) SetCold(cold bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cold == cold || q.Prefetchers == 0 {
		return
	}
	q.cold = cold
	q.wakeAll()
}

// Cold reports whether prefetchers run.
func (q *Queue) Cold() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cold
}

// Abandon empties the queue of a stopped copy. It returns the delivered batches, whose files are
// open, and the waiting directories.
func (q *Queue) Abandon() (delivered []*Batch, waiting []*dirs.Dir) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting = slices.Concat(q.found...)
	clear(q.found)
	q.waiting, q.unfinished = 0, 0
	delivered = q.delivered
	q.delivered, q.offered = nil, nil
	return delivered, waiting
}
