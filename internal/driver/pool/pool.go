// Package pool performs operations with plain calls on a bounded number of threads.
//
// It works on every system, and is the reference for the results of the other drivers. Each
// operation that waits holds a thread, so Threads bounds how many wait at once. Without a bound, a
// slow disk would kill the program: the Go runtime ends it at its 10,000th thread.
//
// A Scheduler whose driver is a Pool hands it nothing, because Async is false: the Scheduler makes
// plain calls, which package budget bounds. Package aio has a Pool for operations that AIO does not
// know.
//
// # Concurrency
//
// A Pool is used as any driver.Driver. One mutex guards the shared state. A worker takes it once an
// operation, to return that operation and to fetch the next. Workers exist only while there is
// work: a goroutine costs no more to start than to wake. A Pool with nothing in flight holds
// neither goroutines nor threads.
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

	// maxThreads keeps the program below the 10,000 threads at which the Go
	// runtime ends it (debug.SetMaxThreads).
	maxThreads = 4096
)

// Options configures a Pool. The zero value is useful.
type Options struct {
	// Threads is the most operations that are performed at once, each in a thread: 1 to 4096, 0 for
	// 64.
	Threads int
	// Depth is the most operations in flight; 0 for 1024. Operations that wait for a thread or for
	// Reap count.
	Depth int
	// Notify, if not nil, is called once for each operation, after it has become reapable. The
	// goroutine that has performed or cancelled it calls Notify, with no lock held. It is for
	// callers that do not wait in Reap; they reap with Reap(done, 0). When Close returns, the last
	// call has returned.
	Notify func()
	// Record, if not nil, records the system calls.
	Record *record.Hook
}

// Pool is a bounded set of threads in plain calls, as a driver.Driver.
type Pool struct {
	threads int
	depth   int
	notify  func()
	hook    *record.Hook
	// perform is a field so that a test can hold an operation back. start is one because a method
	// value for each worker would allocate.
	perform func(*driver.Op)
	start   func()

	mu       sync.Mutex
	queue    list.List[driver.Op] // operations that wait for a worker
	done     list.List[driver.Op] // operations that wait for Reap
	inflight int                  // operations that the pool owns: queued, running or done
	workers  int                  // goroutines that perform operations, or are about to
	// starting is true while a started worker has not yet fetched its first operation. There is at
	// most one starting worker. If it leaves operations in the queue, it starts the next one. So a
	// burst of short operations starts few workers, and a burst of long ones starts many.
	//
	// While mu is not held: queue is not empty ⇒ starting || workers == threads.
	starting bool
	closed   bool
	// woken is set by Wake, and cleared by the Reap that it ends.
	woken bool
	// want is the length of done for which Reap waits; 0 if no Reap waits. Reap
	// writes it. finish signals reap when done is that long.
	want int
	reap sync.Cond

	// live counts the goroutines, including workers that are still in Notify.
	live sync.WaitGroup
}

var _ driver.Driver = (*Pool)(nil)

// New makes a pool. An error names the option that is out of range.
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

// Cancel implements driver.Driver. An operation that waits for a worker comes back at
// once, with -ECANCELED. One that is being performed is not changed.
func (p *Pool) Cancel(op *driver.Op) {
	p.mu.Lock()
	// Read op only under mu: Reap may have returned it long ago.
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

// Async implements driver.Driver. It is false: each operation holds a thread.
func (p *Pool) Async(*driver.Op) bool { return false }

// Info implements driver.Driver.
func (p *Pool) Info() driver.Info {
	return driver.Info{Name: "pool", Depth: p.depth, Threads: p.threads}
}

// Close implements driver.Driver. Operations that wait for a worker are still performed, as
// driver.Driver demands.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.live.Wait()
	for pop(&p.done) != nil {
	}
	return nil
}

// pop removes and returns the first operation; nil if there is none.
func pop(l *list.List[driver.Op]) *driver.Op {
	op := l.Front()
	if op != nil {
		l.Remove(&op.Links)
	}
	return op
}
