package copytree

import (
	"slices"
	"sync"
)

// queue is what is left to do: directories to be read, and batches of their
// entries to be copied.
//
// While the caches hold what is asked for, each worker takes a directory, reads
// it and copies what is in it; it takes the one that it has found last, so that
// the queue does not grow with the tree, and when it has none the oldest of
// another's, which leads to the most. Workers in different directories do not
// wait for each other in the kernel, as those in one do.
//
// When the disk has to be waited for (cold), scouts read the directories, and
// open the files and begin to fetch them, some hundred ahead of the workers.
// They wait, and the workers do not.
type queue struct {
	limits

	mu    sync.Mutex
	work  sync.Cond // for workers: a batch, or a directory while nobody scouts
	look  sync.Cond // for scouts: a directory, or room ahead
	own   [][]*dir  // directories to be read, by who has found them. Under mu
	found int       // of them in all. Under mu
	ready []*batch  // read, and to be copied. Under mu
	share []*batch  // being copied by one worker, who can be helped. Under mu
	left  int       // directories that are not finished. Under mu
	open  int       // descriptors that scouts have opened and no worker has closed. Under mu
	cold  bool      // scouts run. Under mu
	spares
}

func (q *queue) init(l limits) {
	q.limits = l
	q.own = make([][]*dir, q.workers+q.scouts)
	q.work.L, q.look.L, q.spares.work.L = &q.mu, &q.mu, &q.mu
}

// wake has everybody look whether the copy was stopped.
func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all()
}

// all wakes everybody. Under mu.
func (q *queue) all() {
	q.work.Broadcast()
	q.look.Broadcast()
	q.spares.work.Broadcast()
}

// add queues directories that were found by id, the last one to be taken first;
// fresh of them are new.
func (q *queue) add(id int, dirs []*dir, fresh int) {
	if len(dirs) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.own[id] = append(q.own[id], dirs...)
	q.found += len(dirs)
	q.left += fresh
	if q.cold {
		q.look.Broadcast()
	} else {
		q.work.Broadcast()
	}
}

// room is how many directories one that is read may add.
func (q *queue) room() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return max(1, q.queued-q.found)
}

// takeDir takes a directory for id, or nil. Under mu.
func (q *queue) takeDir(id int) *dir {
	if q.found == 0 {
		return nil
	}
	q.found--
	if own := q.own[id]; len(own) > 0 {
		d := own[len(own)-1]
		own[len(own)-1] = nil
		q.own[id] = own[:len(own)-1]
		return d
	}
	most := 0
	for i := range q.own {
		if len(q.own[i]) > len(q.own[most]) {
			most = i
		}
	}
	d := q.own[most][0]
	q.own[most][0] = nil
	q.own[most] = q.own[most][1:]
	return d
}

// next returns what a worker is to do, waiting for it: copy a batch, or read a
// directory; neither when all is done or the copy was stopped. Cold is whether
// scouts run.
func (q *queue) next(j *job, id int) (_ *batch, _ *dir, cold bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if b := q.batch(); b != nil {
			return b, nil, q.cold
		}
		if q.left == 0 || j.stopped.Load() {
			return nil, nil, q.cold
		}
		if !q.cold {
			if d := q.takeDir(id); d != nil {
				return nil, d, false
			}
		}
		q.work.Wait()
	}
}

// batch takes a batch that scouts have handed over, or one to help with; nil if
// there is none. Under mu.
func (q *queue) batch() *batch {
	if len(q.ready) == 0 {
		return q.help()
	}
	b := q.ready[0]
	q.ready[0] = nil
	q.ready = q.ready[1:]
	return b
}

// nextDir is next for scouts. It returns nil when all is done, or, unless wait
// says so, when it would have to wait.
func (q *queue) nextDir(j *job, id int, wait bool) *dir {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.left > 0 && !j.stopped.Load() {
		if q.cold && q.open < q.ahead {
			if d := q.takeDir(id); d != nil {
				return d
			}
		}
		if !wait {
			return nil
		}
		q.look.Wait()
	}
	return nil
}

// hand gives batches to the workers. It waits until they are near.
func (q *queue) hand(j *job, all []*batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range all {
		b.users, b.ahead = 1, len(b.entries)+2
		q.open += b.ahead
	}
	q.ready = append(q.ready, all...)
	q.work.Broadcast()
	if q.large > 0 {
		q.spares.work.Broadcast()
	}
	for q.open >= q.ahead && !j.stopped.Load() {
		q.look.Wait()
	}
}

// released gives up b for one worker, and reports whether it was the last.
func (q *queue) released(b *batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b.users--; b.users > 0 {
		return false
	}
	if b.shared {
		q.share = slices.DeleteFunc(q.share, func(x *batch) bool { return x == b })
	}
	if b.ahead > 0 {
		q.open -= b.ahead
		q.look.Broadcast()
	}
	return true
}

// setCold has scouts go ahead, or not.
func (q *queue) setCold(cold bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cold == cold || q.scouts == 0 {
		return
	}
	q.cold = cold
	q.all()
}

// isCold tells whether scouts go ahead.
func (q *queue) isCold() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cold
}

// start makes d all there is to do.
func (q *queue) start(d *dir) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.own[0] = append(q.own[0][:0], d)
	q.found, q.left, q.open = 1, 1, 0
}

// end forgets what was not done, and returns it: what scouts have opened, and
// directories.
func (q *queue) end() (ready []*batch, dirs []*dir) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dirs = slices.Concat(q.own...)
	clear(q.own)
	q.found, q.left = 0, 0
	ready = q.ready
	q.ready, q.share = nil, nil
	return ready, dirs
}

// offer has other workers help with b, which has one more user for each.
func (q *queue) offer(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.share = append(q.share, b)
	q.work.Broadcast()
	if q.cold {
		q.spares.work.Broadcast()
	}
}

// help finds a batch to help with. Under mu.
func (q *queue) help() *batch {
	for len(q.share) > 0 {
		b := q.share[len(q.share)-1]
		if !b.empty() {
			b.users++
			return b
		}
		q.share = q.share[:len(q.share)-1]
	}
	return nil
}

// finished says that a directory is.
func (q *queue) finished() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left--; q.left == 0 {
		q.all()
	}
}
