package sched

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

// gate lets at most limit goroutines through at once. Passing one that is not
// full takes two atomic operations.
//
// Who comes while a place is free takes it, even when others wait: to hand
// each place to the next in the queue would make every passage cost a switch
// of goroutines (a lock convoy). A waiter that has been overtaken patience
// times is handed the next place, so that nobody starves.
//
// A device that is stalled keeps whoever waits for it inside. So some of the places
// are not for all, but for one device each: see share.
type gate struct {
	limit  int32
	given  atomic.Int32 // of limit, to shares. Written under mu
	used   atomic.Int32 // places taken of those that are for all
	queued atomic.Int32 // waiters. Written under mu
	mu     sync.Mutex
	queue  list.List[waiter] // those who wait. Under mu
	shares []*share          // under mu
	// without is those of queue whose device has no share, as all were in use.
	// Under mu.
	without list.List[waiter]
}

const patience = 64

// waiter is a goroutine in front of the gate.
type waiter struct {
	// ready holds a value when the waiter is out of the queue.
	ready     chan notice
	overtaken int
	device    uint64
	links     list.Node[waiter] // in gate.queue
	// share is its device's, if that has one, and in the place in the queue of that,
	// or in gate.without. Under gate.mu.
	share *share
	in    list.Node[waiter]
}

// pass is what who is inside has: of whose places his is, nil for those for all.
type pass = *share

// notice is what a waiter is told: that it has been handed a place, or that one is
// free for it or for who is quicker; and which.
type notice struct {
	handed bool
	pass   pass
}

var waiters = sync.Pool{New: func() any { return newWaiter() }}

func newWaiter() *waiter { return &waiter{ready: make(chan notice, 1)} }

// take takes a free place, if there is one for all.
func (g *gate) take() bool { return g.takeBelow(g.most()) }

// most is how many places there are for all.
func (g *gate) most() int32 { return g.limit - g.given.Load() }

// takeBelow takes a place if fewer than most are taken of those for all.
func (g *gate) takeBelow(most int32) bool {
	most = min(most, g.most())
	for {
		n := g.used.Load()
		if n >= most {
			return false
		}
		if g.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// enter takes a place for a call to a device, as await does.
func (g *gate) enter(ctx context.Context, device uint64) (pass, error) {
	if g.take() {
		return nil, nil
	}
	return g.await(ctx, device)
}

// await takes a place for a call to a device, or to noDevice, waiting for one if
// need be or until ctx ends, whose error it returns.
func (g *gate) await(ctx context.Context, device uint64) (pass, error) {
	w := waiters.Get().(*waiter)
	w.device = device
	p, err := g.wait(ctx, w)
	w.overtaken, w.share = 0, nil
	waiters.Put(w)
	return p, err
}

func (g *gate) wait(ctx context.Context, w *waiter) (pass, error) {
	for {
		if p, ok := g.join(w); ok {
			return p, nil
		}
		select {
		case c := <-w.ready:
			if c.handed || g.retake(w, c.pass) {
				return c.pass, nil
			}
			w.overtaken++
		case <-ctx.Done():
			g.abandon(w)
			return nil, ctx.Err()
		}
	}
}

// retake takes the place that w was told of, if it is still free.
func (g *gate) retake(w *waiter, p pass) bool {
	if p == nil {
		return g.take()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return p.device == w.device && p.take() // it may have become another's
}

// join puts w into the queue, in front if it has been there, unless it finds
// a free place, which it then has.
func (g *gate) join(w *waiter) (pass, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.share = g.shareOf(w.device)
	g.push(w)
	// Asked after push: a place given back before is free, and who gives one
	// back later sees w.
	if g.take() {
		g.withdraw(w)
		return nil, true
	}
	if w.share.take() {
		g.withdraw(w)
		return w.share, true
	}
	return nil, false
}

// leave gives a place back.
func (g *gate) leave(p pass) {
	if p != nil {
		g.leaveShare(p)
		return
	}
	if g.queued.Load() > 0 && g.handOver() {
		return
	}
	if g.used.Add(-1); g.queued.Load() > 0 {
		g.wakeFirst()
	}
}

// handOver gives the caller's place, which is for all, to the first waiter if that
// has lost patience.
func (g *gate) handOver() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tell(g.queue.Front(), notice{handed: true})
}

// wakeFirst tells the first waiter that a place is free.
func (g *gate) wakeFirst() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used.Load() < g.most() {
		g.tell(g.queue.Front(), notice{})
	}
}

// tell takes w out of the queue and tells it c. It does not if there is no w, or if
// it is handed a place and is not impatient. Under mu.
func (g *gate) tell(w *waiter, c notice) bool {
	if w == nil || c.handed && w.overtaken < patience {
		return false
	}
	g.withdraw(w)
	w.ready <- c
	return true
}

// abandon takes w out of the queue; if it has just been let in or woken, its
// place or its wake-up goes to the next.
func (g *gate) abandon(w *waiter) {
	g.mu.Lock()
	inQueue := g.withdraw(w)
	g.mu.Unlock()
	if inQueue {
		return
	}
	switch c := <-w.ready; {
	case c.handed:
		g.leave(c.pass)
	case c.pass != nil:
		g.wakeFirstOf(c.pass)
	default:
		g.wakeFirst()
	}
}

// push adds w: at the end, or in front if it has been overtaken. Under mu.
func (g *gate) push(w *waiter) {
	if w.overtaken > 0 {
		g.queue.PushFront(&w.links, w)
		g.listOf(w).PushFront(&w.in, w)
	} else {
		g.queue.PushBack(&w.links, w)
		g.listOf(w).PushBack(&w.in, w)
	}
	g.queued.Add(1)
}

// listOf is where w waits beside gate.queue. Under mu.
func (g *gate) listOf(w *waiter) *list.List[waiter] {
	if w.share == nil {
		return &g.without
	}
	return &w.share.queue
}

// withdraw takes w out of the queue and reports whether it was there. Under
// mu.
func (g *gate) withdraw(w *waiter) bool {
	if !g.queue.Has(&w.links) {
		return false
	}
	g.queue.Remove(&w.links)
	g.listOf(w).Remove(&w.in)
	g.queued.Add(-1)
	return true
}
