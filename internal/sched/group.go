package sched

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

// Group is the Transfers of one goroutine, its owner, which starts many and
// waits for whichever ends next. All methods are the owner's.
//
// While nobody else needs a leader the owner is it when it waits: it submits
// and reaps by itself, in one system call, and no goroutine is woken. While it
// does not wait nobody reaps what the Group has in flight.
type Group struct {
	s *Scheduler
	e *engine // of the ring that all of them are queued in
	// queued counts those that the engine has.
	queued atomic.Int32
	// started counts those that were pushed and not submitted; batch is how many
	// of them will be. The owner's.
	started, batch int

	mu     sync.Mutex
	ended  list.List[Transfer] // and not been returned by Next. Under mu
	parked parking             // how the owner waits. Under mu
	wake   chan struct{}

	unwatch func() bool
	watched chan struct{} // closed when the watch on the context has run
}

// parking is how an owner waits, and so what wakes it.
type parking uint8

const (
	awake   parking = iota
	asleep          // for a value in wake
	reaping         // in the driver's Reap
)

// NewGroup returns a Group without Transfers, which will all be of f or of others
// on its device, and whose Next ends with ctx. It is to be closed. The caller uses f.
func (s *Scheduler) NewGroup(ctx context.Context, f *File) *Group {
	g := &Group{s: s, e: s.engineOf(f), batch: 1, wake: make(chan struct{}, 1)}
	if ctx.Done() != nil {
		g.watched = make(chan struct{})
		g.unwatch = context.AfterFunc(ctx, func() {
			g.mu.Lock()
			g.rouse()
			g.mu.Unlock()
			close(g.watched)
		})
	}
	return g
}

// Close ends the Group. None of its Transfers is in progress.
func (g *Group) Close() {
	if g.unwatch != nil && !g.unwatch() {
		<-g.watched
	}
	g.unwatch = nil
}

// StartRead is Scheduler.StartRead, but the Transfer ends by being returned by
// Next, and may be submitted as late as by Submit or Next. It reports whether it
// was started, which it is not if f is closing.
func (g *Group) StartRead(t *Transfer, f *File, b []byte, off int64, reg uint32) bool {
	if !f.Use() {
		return false
	}
	t.group = g
	g.s.StartRead(t, f, b, off, reg)
	f.Done()
	if g.started++; g.started >= g.batch || len(b) >= largeRead {
		g.Submit()
		g.batch = g.nextBatch()
	}
	return true
}

// nextBatch is the size of the next batch. Batches are small: a device that has
// ended all that it had in one go, as some do with a batch, is to be at work
// again at once, and not with what it will again end in one go. So the first
// one after a wait is a single operation, and none more than four. Measured:
// docs/decisions/0014-read-many.md.
func (g *Group) nextBatch() int { return min(2*g.batch, 4) }

// Submit submits what was started.
func (g *Group) Submit() {
	if g.started > 0 {
		g.started = 0
		g.e.submitTended()
	}
}

// Next waits for one of the Transfers in progress to end, and returns it, for
// its Result. The error is ctx's, if that ends before; it is the Group's, or
// one that does not end.
func (g *Group) Next(ctx context.Context) (*Transfer, error) {
	for {
		if t := g.Take(); t != nil {
			return t, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.started, g.batch = 0, 1
		if g.queued.Load() > 0 && g.e.state.CompareAndSwap(idle, running) {
			g.lead(ctx)
		} else {
			g.sleep(ctx)
		}
	}
}

// Take is Next that returns nil where that would wait.
func (g *Group) Take() *Transfer {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.ended.Front()
	if t != nil {
		g.ended.Remove(&t.ended)
		t.woken = g.s.hook.Now()
	}
	return t
}

// lead has the owner be the leader until one of the Group's Transfers has
// ended, or ctx. One of them is queued.
func (g *Group) lead(ctx context.Context) {
	e := g.e
	e.leaders.Add(1)
	defer e.leaders.Done()
	for {
		e.hand()
		if !g.park(reaping) || ctx.Err() != nil {
			break
		}
		ops := e.await()
		g.unpark()
		e.complete(ops)
		if g.some() || ctx.Err() != nil {
			break
		}
		runtime.Gosched() // as in loop
		runtime.Gosched()
	}
	g.unpark()
	e.leave()
}

// sleep waits while another leads, or while the engine has no Transfer of the
// Group's.
func (g *Group) sleep(ctx context.Context) {
	e := g.e
	e.submitTended()
	if g.park(asleep) && ctx.Err() == nil {
		e.attend()
		<-g.wake
		e.unattend()
		return
	}
	g.unpark()
	select { // what came in between
	case <-g.wake:
	default:
	}
}

// park says how the owner is about to wait, unless it need not. Who parks asks
// its context after that: it may have ended before, and then wakes nobody.
func (g *Group) park(how parking) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended.Len() > 0 {
		return false
	}
	g.parked = how
	return true
}

// unpark says that the owner does not wait.
func (g *Group) unpark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked = awake
}

// some tells whether a Transfer has ended.
func (g *Group) some() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended.Len() > 0
}

// rouse wakes the owner. Under mu.
func (g *Group) rouse() {
	switch g.parked {
	case asleep:
		g.wake <- struct{}{}
	case reaping:
		g.e.drv.Wake()
	}
	g.parked = awake
}

// add takes a Transfer that has ended.
func (g *Group) add(t *Transfer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended.PushBack(&t.ended, t)
	g.rouse()
}
