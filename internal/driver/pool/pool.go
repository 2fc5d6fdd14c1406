// Package pool performs operations with blocking system calls on a bounded
// number of threads.
//
// It is what every system has, and the reference for what the other drivers
// must answer. It costs a thread for each operation that waits, so Threads
// bounds how much waiting goes on at once, and with it what a slow disk can
// take of the process: without a bound a Go program dies at its 10,000th
// blocked thread.
//
// # Concurrency
//
// A Pool is used as any driver.Driver. Everything it shares is under one
// mutex, which a worker takes once an operation: to hand in the finished one
// and to fetch the next. Workers exist while there is work. A goroutine costs
// no more to start than to wake, so none is kept idle, and a Pool in which
// nothing is in flight holds neither goroutines nor threads.
package pool

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/record"
)

const (
	defaultThreads = 64
	defaultDepth   = 1024

	// maxThreads leaves the rest of a program room below the 10,000 threads
	// at which the Go runtime ends it (debug.SetMaxThreads).
	maxThreads = 4096
)

// Options configures a Pool. The zero value is useful.
type Options struct {
	// Threads is the most operations performed at once, each of which
	// occupies a thread while it waits: 1 to 4096, 0 for 64.
	Threads int
	// Depth is the most operations in flight, those queued for a thread and
	// those not yet reaped included: 0 for 1024.
	Depth int
	// Notify, if not nil, is called after an operation has become reapable,
	// once for each, by the goroutine that performed (or cancelled) it, with
	// no lock held. It serves those who do not wait in Reap; a pool is then
	// drained with Reap(done, 0). The last call has returned when Close does.
	Notify func()
	// Record is who records the system calls; nil is nobody.
	Record *record.Hook
}

// Pool is a bounded set of blocking threads as a driver.Driver.
type Pool struct {
	threads int
	depth   int
	notify  func()
	hook    *record.Hook
	// perform and start are fields so that a test can hold an operation
	// back, and so that starting a worker does not allocate a method value.
	perform func(*driver.Op)
	start   func()

	mu       sync.Mutex
	queue    list.List[driver.Op] // operations that wait for a worker
	done     list.List[driver.Op] // operations that wait for Reap
	inflight int                  // operations that the pool owns: queued, running or done
	workers  int                  // goroutines that perform or are about to
	// starting is set while a worker has been started that has not yet
	// fetched its first operation. There is at most one: it starts the next
	// itself if it leaves something in the queue. So a burst of short
	// operations costs few starts, and one of long ones loses no time.
	//
	// Held under mu: queue is not empty ⇒ starting || workers == threads.
	starting bool
	closed   bool
	// woken is set by Wake and cleared by the Reap that returns because of it.
	woken bool
	// want is how long done must be for the waiting Reap to go on; 0 when no
	// Reap waits. Reap writes it; who lengthens done signals reap at want.
	want int
	reap sync.Cond

	// live counts the goroutines. One that has left workers may still be in
	// Notify.
	live sync.WaitGroup
}

var _ driver.Driver = (*Pool)(nil)

// New makes a pool. It fails only for options out of range.
func New(o Options) (*Pool, error) {
	if o.Threads < 0 || o.Threads > maxThreads {
		return nil, fmt.Errorf("pool: Threads %d is not between 0 and %d", o.Threads, maxThreads)
	}
	if o.Depth < 0 {
		return nil, fmt.Errorf("pool: Depth %d is negative", o.Depth)
	}
	p := &Pool{threads: o.Threads, depth: o.Depth, notify: o.Notify, hook: cmp.Or(o.Record, new(record.Hook)), perform: perform}
	if p.threads == 0 {
		p.threads = defaultThreads
	}
	if p.depth == 0 {
		p.depth = defaultDepth
	}
	p.start = p.work
	p.reap.L = &p.mu
	return p, nil
}

// Submit implements driver.Driver.
func (p *Pool) Submit(ops []*driver.Op) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, driver.ErrClosed
	}
	n := min(len(ops), p.depth-p.inflight)
	for _, op := range ops[:n] {
		p.queue.PushBack(&op.Links, op)
	}
	p.inflight += n
	p.spawn()
	return n, nil
}

// Reap implements driver.Driver.
func (p *Pool) Reap(done []*driver.Op, need int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, driver.ErrClosed
	}
	for p.done.Len() < need && !p.woken {
		p.want = need
		p.reap.Wait()
	}
	p.want = 0
	if p.done.Len() < need {
		p.woken = false
	}
	n := min(len(done), p.done.Len())
	for i := range done[:n] {
		done[i] = pop(&p.done)
	}
	p.inflight -= n
	return n, nil
}

// Wake implements driver.Driver.
func (p *Pool) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.woken = true
	p.reap.Signal()
}

// Cancel implements driver.Driver: an operation that still waits for a worker
// comes back at once with -ECANCELED, one that is being performed ends as it
// will.
func (p *Pool) Cancel(op *driver.Op) {
	p.mu.Lock()
	// Only what is under mu is looked at: op may have come back long ago.
	found := p.queue.Has(&op.Links)
	if found {
		p.queue.Remove(&op.Links)
		op.Res = canceled
		p.finish(op)
	}
	p.mu.Unlock()
	if found && p.notify != nil {
		p.notify()
	}
}

// Async implements driver.Driver: a thread waits for every operation.
func (p *Pool) Async(*driver.Op) bool { return false }

// Info implements driver.Driver.
func (p *Pool) Info() driver.Info {
	return driver.Info{Name: "pool", Depth: p.depth, Threads: p.threads}
}

// Close implements driver.Driver. Operations that wait for a worker are
// performed: what was submitted has been promised.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.live.Wait()
	for pop(&p.done) != nil {
	}
	return nil
}

// pop takes the first operation out; nil if there is none.
func pop(l *list.List[driver.Op]) *driver.Op {
	op := l.Front()
	if op != nil {
		l.Remove(&op.Links)
	}
	return op
}
