package sched

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

// Group is a set of Transfers of one goroutine, its owner, which starts many of them and waits
// for whichever ends next. Only the owner may call the methods.
//
// The owner usually reaps its own completions. When it waits and no other goroutine leads the
// engine, it becomes the leader: it submits and reaps in one system call, and no goroutine
// need be woken. While the owner does something else, nobody reaps what the Group has in
// flight, unless the engine has another reason for a leader (reaper.go).
type Group struct {
	s *Scheduler
	e *engine // of the ring that all the Transfers are queued in
	// queued is the number of Transfers that the engine has.
	queued atomic.Int32
	// started is the number of Transfers that were pushed and not submitted. batch is how many
	// are submitted together. Only the owner uses them.
	started, batch int

	mu     probedMutex
	ended  list.List[Transfer] // those that ended and that Next has not returned. Under mu
	parked parkState           // how the owner waits. Under mu
	wake   chan struct{}

	unwatch func() bool
	watched chan struct{} // closed once the function that watches the context has run
}

// parkState says how the owner waits, and so how it is woken.
type parkState uint8

const (
	awake   parkState = iota
	asleep            // receiving from wake
	reaping           // in the driver's Reap
)

// NewGroup returns a Group without Transfers. All of its Transfers must be of f or of other
// files on the same device. Next returns when ctx ends. The caller must close the Group, and
// must use f during this call.
func (s *Scheduler) NewGroup(ctx context.Context, f *File) *Group {
	g := &Group{s: s, e: s.engineOf(f), batch: 1, wake: make(chan struct{}, 1)}
	if ctx.Done() != nil {
		g.watched = make(chan struct{})
		g.unwatch = context.AfterFunc(ctx, func() {
			g.mu.Lock()
			g.wakeOwner()
			g.mu.Unlock()
			close(g.watched)
		})
	}
	return g
}

// Close ends the Group. None of its Transfers may be in progress.
func (g *Group) Close() {
	if g.unwatch != nil && !g.unwatch() {
		<-g.watched
	}
	g.unwatch = nil
}

// StartRead is Scheduler.StartRead for a Transfer that Next will return. The read may be
// submitted as late as by Submit or Next. StartRead reports whether the read was started: it
// is not if f is closing.
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

// nextBatch returns the size of the next batch. Batches are small: the first one after a wait
// is a single operation, and none has more than four. Some devices end all operations of a
// batch in one go. Such a device should be at work again at once, and not with another batch
// that it will end in one go. Measured: docs/decisions/0014-read-many.md.
func (g *Group) nextBatch() int { return min(2*g.batch, 4) }

// Submit submits the reads that were started and not submitted.
func (g *Group) Submit() {
	if g.started > 0 {
		g.started = 0
		g.e.submitGroupOps()
	}
}

// Next waits for one of the Transfers in progress to end, and returns it for its Result. If
// ctx ends first, Next returns ctx's error. Ctx must be the Group's, or one that never ends.
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

// Take returns a Transfer that has ended, or nil where Next would wait.
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

// lead makes the owner the engine's leader until one of the Group's Transfers or ctx has
// ended. At least one Transfer is queued, and the caller has set the state to running.
func (g *Group) lead(ctx context.Context) {
	e := g.e
	e.leaders.Add(1)
	defer e.leaders.Done()
	for {
		e.giveUp()
		if e.lost.Load() && g.queued.Load() == 0 {
			break // helpers have the Transfers now; they wake an owner that sleeps
		}
		e.stageWithoutRetiring()
		if !g.park(reaping) || ctx.Err() != nil {
			break
		}
		ops := e.await()
		g.unpark()
		e.complete(ops)
		if g.hasEnded() || ctx.Err() != nil {
			break
		}
		runtime.Gosched() // twice, as in engine.loop
		runtime.Gosched()
	}
	g.unpark()
	e.stopLeading()
}

// sleep waits while another goroutine leads the engine, or while the engine has none of the
// Group's Transfers.
func (g *Group) sleep(ctx context.Context) {
	e := g.e
	e.submitGroupOps()
	if g.park(asleep) && ctx.Err() == nil {
		e.requireReaper()
		receive(&g.mu, g.wake)
		e.releaseReaper()
		return
	}
	g.unpark()
	select { // drain a wake-up that was sent before unpark
	case <-g.wake:
	default:
	}
}

// park notes how the owner is about to wait. It returns false if the owner need not wait. The
// caller must ask its context after park returns: a context that ended before found nobody to
// wake.
func (g *Group) park(how parkState) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended.Len() > 0 {
		return false
	}
	g.parked = how
	return true
}

// unpark notes that the owner does not wait.
func (g *Group) unpark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked = awake
}

// hasEnded reports whether a Transfer has ended that Next has not returned.
func (g *Group) hasEnded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended.Len() > 0
}

// wakeOwner wakes the owner if it waits. It must be called with mu held.
func (g *Group) wakeOwner() {
	switch g.parked {
	case asleep:
		g.wake <- struct{}{}
	case reaping:
		g.e.drv.Wake()
	}
	g.parked = awake
}

// add adds a Transfer that has ended, and wakes the owner.
func (g *Group) add(t *Transfer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended.PushBack(&t.ended, t)
	g.wakeOwner()
}
