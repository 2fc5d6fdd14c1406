package sim

import (
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// Queue is a driver.Driver on a Disk. The Queues of a Disk share its files.
type Queue struct {
	d     *Disk
	depth int
	wake  chan struct{} // receives a value when a waiting Reap must look again

	// Guarded by Disk.mu.
	pending pendingOps
	memory  map[int][]byte // registered memory, by index
	woken   bool
	closed  bool
}

// NewQueue returns another Queue, with room for depth operations.
func (d *Disk) NewQueue(depth int) *Queue {
	q := &Queue{d: d, depth: depth, wake: make(chan struct{}, 1), memory: map[int][]byte{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queues = append(d.queues, q)
	return q
}

// Async implements driver.Driver.
func (q *Queue) Async(op *driver.Op) bool { return q.d.o.Async == nil || q.d.o.Async(op) }

// Info implements driver.Driver.
func (q *Queue) Info() driver.Info { return driver.Info{Name: "sim", Depth: q.depth} }

// Submit implements driver.Driver.
func (q *Queue) Submit(ops []*driver.Op) (int, error) {
	d := q.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.closed {
		return 0, driver.ErrClosed
	}
	n := min(len(ops), q.depth-len(q.pending))
	for _, op := range ops[:n] {
		q.pending.add(d.submit(op, q))
	}
	q.signal()
	return n, nil
}

// signal makes a waiting Reap look again.
func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Reap implements driver.Driver.
func (q *Queue) Reap(done []*driver.Op, need int) (int, error) {
	d := q.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.closed {
		return 0, driver.ErrClosed
	}
	if need == 0 {
		d.now += d.o.Latency/16 + 1 // each poll takes time
	}
	n := q.completeDue(done)
	for n < need {
		if q.woken {
			q.woken = false
			return n, nil
		}
		q.wait()
		n += q.completeDue(done[n:])
	}
	return n, nil
}

// wait waits until the first operation may be due, or another may have become the first. It must be
// called with Disk.mu held, which it unlocks during the wait.
func (q *Queue) wait() {
	d := q.d
	due := never
	if len(q.pending) > 0 {
		due = q.pending[0].due
	}
	if due < never && !d.o.Timed {
		d.now = due
		return
	}
	var alarm <-chan time.Time
	if due < never {
		timer := time.NewTimer(due - d.clock())
		defer timer.Stop()
		alarm = timer.C
	}
	d.mu.Unlock()
	select {
	case <-q.wake:
	case <-alarm:
	}
	d.mu.Lock()
}

// completeDue performs the operations that are due.
func (q *Queue) completeDue(done []*driver.Op) int {
	for n := range done {
		p := q.pending.pop(q.d.clock())
		if p == nil {
			return n
		}
		p.op.Res = q.d.perform(p)
		done[n] = p.op
	}
	return len(done)
}

// Wake implements driver.Driver.
func (q *Queue) Wake() {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	q.woken = true
	q.signal()
}

// Cancel implements driver.Driver. It ends held operations, and half of all others.
func (q *Queue) Cancel(op *driver.Op) {
	d := q.d
	d.mu.Lock()
	defer d.mu.Unlock()
	late := d.cancel.IntN(2) == 0
	p := q.pending.take(op)
	if p == nil {
		return
	}
	p.ending = true
	if p.due == never || !late {
		delete(d.due, p.due)
		p.due, p.errno = d.clock(), syscall.ECANCELED
	}
	q.pending.add(p)
	q.signal()
}

// Close implements driver.Driver. It does not remove the files.
func (q *Queue) Close() error {
	d := q.d
	d.mu.Lock()
	defer d.mu.Unlock()
	q.closed = true
	for p := q.pending.pop(never); p != nil; p = q.pending.pop(never) {
		p.op.Res = d.perform(p)
	}
	return nil
}
