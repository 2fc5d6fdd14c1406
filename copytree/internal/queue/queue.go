// Package queue has what is left to do of a tree: directories to be read, and
// batches of their entries to be copied.
//
// While the page cache has what is copied (hot), each worker takes a directory
// (Next), reads it and copies its entries. It takes the directory that it found
// last, so that the queue grows with the depth of the tree and not with its width.
// When it has none left, it takes the oldest directory of another worker, as the
// oldest leads to the most work. Workers in different directories do not wait for
// each other in the kernel; workers in one directory do. So a worker helps with a
// directory that another one copies (Offer) only when no other directory is left.
//
// When the disk must be waited for (cold), prefetchers take the directories
// (NextDir), open their files, begin to read them, and deliver batches of them to
// the workers (Deliver). More workers copy then, as each still waits for the disk:
// for the rest of large files, and for what the file system reads to make a copy.
//
// # Concurrency
//
// A Queue may be used by several goroutines, one for each id.
package queue

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// Limits bounds what is in memory and open, whatever the tree.
type Limits struct {
	Workers     int // goroutines that copy; their ids are 0 to Workers-1
	ColdWorkers int // goroutines that copy while the tree is cold; their ids follow
	Prefetchers int // goroutines that read ahead; their ids follow. 0: a tree is never cold
	OpenAhead   int // descriptors of delivered batches, beyond which prefetchers wait
	Dirs        int // directories that wait, beyond which a reader goes down first
}

// Queue is what is left to do of one tree at a time.
type Queue struct {
	Limits

	stopped atomic.Bool // nothing more is to be begun

	mu         sync.Mutex
	work       sync.Cond     // wakes workers: there is a batch, or a directory while hot
	ahead      sync.Cond     // wakes prefetchers: there is a directory, or OpenAhead allows more
	found      [][]*dirs.Dir // directories to be read, by the id that has found them. Under mu
	waiting    int           // directories in found. Under mu
	delivered  []*Batch      // by prefetchers. Under mu
	offered    []*Batch      // being copied by a worker that others may help. Under mu
	unfinished int           // directories of the tree that are known and not finished. Under mu
	openAhead  int           // descriptors in delivered batches that are not released. Under mu
	cold       bool          // prefetchers run. Under mu
	alone      bool          // only worker 0 is given work. Under mu
}

// Init prepares an empty Queue. It must be called first.
func (q *Queue) Init(l Limits) {
	q.Limits = l
	q.found = make([][]*dirs.Dir, q.Workers+q.ColdWorkers+q.Prefetchers)
	q.work.L, q.ahead.L = &q.mu, &q.mu
}

// Start makes d, the root of a tree, all there is to do.
func (q *Queue) Start(d *dirs.Dir) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.found[0] = append(q.found[0][:0], d)
	q.waiting, q.unfinished, q.openAhead, q.alone = 1, 1, 0, false
}

// Stop makes all goroutines end that wait here, or come later.
func (q *Queue) Stop() {
	q.stopped.Store(true)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wakeAll()
}

// Stopped reports whether Stop was called.
func (q *Queue) Stopped() bool { return q.stopped.Load() }

// wakeAll wakes all goroutines that wait. Under mu.
func (q *Queue) wakeAll() {
	q.work.Broadcast()
	q.ahead.Broadcast()
}

// Next returns what a worker is to do: copy a batch, or read a directory. A batch
// that was offered comes last. Next waits
// until there is one or the other, and returns neither when the tree is finished or
// Stop was called. It also reports whether the tree is cold.
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

// takeDelivered takes a batch that a prefetcher has delivered, or returns nil. Under
// mu.
func (q *Queue) takeDelivered() *Batch {
	if len(q.delivered) == 0 {
		return nil
	}
	b := q.delivered[0]
	q.delivered[0] = nil
	q.delivered = q.delivered[1:]
	return b
}

// Deliver gives batches to the workers. It returns when the workers have come so
// near that more may be opened.
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

// Offer lets other workers help with a batch that the caller copies. A second call
// does nothing.
func (q *Queue) Offer(b *Batch) {
	if b.offered || b.Empty() || q.Workers+q.ColdWorkers == 1 {
		return
	}
	if b.openAhead == 0 { // a delivered batch has its own names already
		b.OwnNames()
	}
	b.offered = true
	q.mu.Lock()
	defer q.mu.Unlock()
	q.offered = append(q.offered, b)
	q.work.Broadcast()
}

// joinOffered makes the caller a user of a batch that was offered, or returns nil.
// Under mu.
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

// SetAlone has Next give work to worker 0 alone, or to all workers again. Each worker ends what it
// has begun.
func (q *Queue) SetAlone(alone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.alone != alone {
		q.alone = alone
		q.work.Broadcast()
	}
}

// SetCold makes prefetchers run, or stops them.
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

// Abandon empties the queue of a stopped copy. It returns the delivered batches,
// whose files are open, and the directories.
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
