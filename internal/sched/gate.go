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
type gate struct {
	limit  int32
	given  atomic.Int32 // of limit, given up for good
	used   atomic.Int32 // places taken
	queued atomic.Int32 // waiters. Written under mu
	mu     sync.Mutex
	queue  list.List[waiter] // those who wait. Under mu
}

const patience = 64

// waiter is a goroutine in front of the gate.
type waiter struct {
	// ready holds a value when the waiter is out of the queue: true if it has
	// been handed a place, false if one is free for it or for who is quicker.
	ready     chan bool
	overtaken int
	links     list.Node[waiter] // in gate.queue
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan bool, 1)} }}

// enter takes a place, waiting for one if need be or until ctx ends, whose
// error it returns.
func (g *gate) enter(ctx context.Context) error {
	if g.take() {
		return nil
	}
	w := waiters.Get().(*waiter)
	err := g.wait(ctx, w)
	w.overtaken = 0
	waiters.Put(w)
	return err
}

// take takes a free place, if there is one.
func (g *gate) take() bool { return g.takeBelow(g.most()) }

// most is how many places there are.
func (g *gate) most() int32 { return g.limit - g.given.Load() }

// giveUp has it have n places fewer, once those who have them leave; at least none.
func (g *gate) giveUp(n int) { g.given.Add(int32(max(0, n))) }

// takeBelow takes a place if fewer than most are taken.
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

func (g *gate) wait(ctx context.Context, w *waiter) error {
	for {
		if g.join(w) {
			return nil
		}
		select {
		case handed := <-w.ready:
			if handed || g.take() {
				return nil
			}
			w.overtaken++
		case <-ctx.Done():
			g.abandon(w)
			return ctx.Err()
		}
	}
}

// join puts w into the queue, in front if it has been there, unless it finds
// a free place, which it then has.
func (g *gate) join(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.push(w)
	// Asked after push: a place given back before is free, and who gives one
	// back later sees w.
	if g.take() {
		g.withdraw(w)
		return true
	}
	return false
}

// leave gives a place back.
func (g *gate) leave() {
	if g.queued.Load() > 0 && g.handOver() {
		return
	}
	if g.used.Add(-1); g.queued.Load() > 0 {
		g.wakeFirst()
	}
}

// handOver gives the caller's place to the first waiter if it has lost
// patience.
func (g *gate) handOver() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.queue.Front()
	if w == nil || w.overtaken < patience {
		return false
	}
	g.withdraw(w)
	w.ready <- true
	return true
}

// wakeFirst tells the first waiter that a place is free.
func (g *gate) wakeFirst() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w := g.queue.Front(); w != nil && g.used.Load() < g.most() {
		g.withdraw(w)
		w.ready <- false
	}
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
	if handed := <-w.ready; handed {
		g.leave()
	} else {
		g.wakeFirst()
	}
}

// push adds w: at the end, or in front if it has been overtaken. Under mu.
func (g *gate) push(w *waiter) {
	if w.overtaken > 0 {
		g.queue.PushFront(&w.links, w)
	} else {
		g.queue.PushBack(&w.links, w)
	}
	g.queued.Add(1)
}

// withdraw takes w out of the queue and reports whether it was there. Under
// mu.
func (g *gate) withdraw(w *waiter) bool {
	if !g.queue.Has(&w.links) {
		return false
	}
	g.queue.Remove(&w.links)
	g.queued.Add(-1)
	return true
}
