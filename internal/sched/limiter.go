package sched

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
)

// limiter bounds how many goroutines make calls that wait, at a time. It has limit slots. A
// goroutine acquires one before its call and releases it afterwards. While slots are free,
// that costs two atomic read-modify-write operations.
//
// A goroutine that arrives while a slot is free takes it, even if others wait. Handing
// each slot to the next waiter in the queue would cost a switch of goroutines for every
// call (a lock convoy). A waiter that has been overtaken maxOvertaken times is handed the
// next slot, so that none starves: docs/decisions/0004-gate.md.
//
// The calls to a stalled device keep their slots. So that they do not hold up the calls
// to other devices, some slots are reserved for one device each: see deviceQuota. The
// others are shared.
type limiter struct {
	limit       int32
	more        atomic.Int32 // slots beyond limit; see widen
	onTop       int32        // how many quotas may be on top of limit. Written before the first call
	quotaPlaces atomic.Int32 // slots of limit that are in quotas. Written under mu
	used        atomic.Int32 // shared slots that are taken
	queued      atomic.Int32 // the length of queue, readable without mu. Written under mu
	mu          sync.Mutex
	queue       list.List[waiter] // all waiters. Under mu
	quotas      []*deviceQuota    // under mu
	// unassigned is the waiters of queue whose device has no quota, because all quotas
	// are in use. Under mu.
	unassigned list.List[waiter]
}

const maxOvertaken = 64

// waiter is a goroutine that waits for a slot.
type waiter struct {
	// ready receives a value after the waiter has been taken out of the queue.
	ready     chan wakeup
	overtaken int
	device    uint64
	links     list.Node[waiter] // in limiter.queue
	// quota is the quota of the waiter's device, or nil if the device has none. The
	// quotaLinks are in quota.queue, or in limiter.unassigned. Under limiter.mu.
	quota      *deviceQuota
	quotaLinks list.Node[waiter]
}

// slot says from which quota a goroutine has its slot; nil is a shared slot.
type slot = *deviceQuota

// wakeup is the message to a waiter. If handed is true, the waiter has been handed a slot.
// Otherwise a slot is free, for the waiter or for a goroutine that is quicker. slot says
// which one.
type wakeup struct {
	handed bool
	slot   slot
}

var waiters = sync.Pool{New: func() any { return newWaiter() }}

func newWaiter() *waiter { return &waiter{ready: make(chan wakeup, 1)} }

// tryAcquire takes a shared slot, if one is free.
func (g *limiter) tryAcquire() bool { return g.tryAcquireBelow(g.sharedLimit()) }

// places returns the number of slots.
func (g *limiter) places() int32 { return g.limit + g.more.Load() }

// sharedLimit returns the number of shared slots.
func (g *limiter) sharedLimit() int32 { return g.places() - g.quotaPlaces.Load() }

// widen raises the number of slots to limit. If it is that large already, nothing happens.
func (g *limiter) widen(limit int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if limit <= g.places() {
		return
	}
	g.more.Store(limit - g.limit)
	for free := g.sharedLimit() - g.used.Load(); free > 0 && g.notify(g.queue.Front(), wakeup{}); free-- {
	}
}

// tryAcquireBelow takes a shared slot if one is free and fewer than most are taken.
func (g *limiter) tryAcquireBelow(most int32) bool {
	most = min(most, g.sharedLimit())
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

// acquire takes a slot for a call to a device. It may wait, as acquireSlow does.
func (g *limiter) acquire(ctx context.Context, device uint64) (slot, error) {
	if g.tryAcquire() {
		return nil, nil
	}
	return g.acquireSlow(ctx, device)
}

// acquireSlow takes a slot for a call to a device, or to noDevice. If none is free it waits
// for one. If ctx ends first, it returns ctx's error.
func (g *limiter) acquireSlow(ctx context.Context, device uint64) (slot, error) {
	w := waiters.Get().(*waiter)
	w.device = device
	p, err := g.wait(ctx, w)
	w.overtaken, w.quota = 0, nil
	waiters.Put(w)
	return p, err
}

func (g *limiter) wait(ctx context.Context, w *waiter) (slot, error) {
	for {
		if p, ok := g.enqueue(w); ok {
			return p, nil
		}
		select {
		case c := <-w.ready:
			if c.handed || g.reacquire(w, c.slot) {
				return c.slot, nil
			}
			w.overtaken++
		case <-ctx.Done():
			g.abandon(w)
			return nil, ctx.Err()
		}
	}
}

// reacquire takes the free slot that w has been woken for, unless it is taken again.
func (g *limiter) reacquire(w *waiter, p slot) bool {
	if p == nil {
		return g.tryAcquire()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return p.device == w.device && p.tryAcquire() // the quota may have gone to another device
}

// enqueue puts w into the queue: at the end, or in front if w has waited before. If a slot
// is free by now, enqueue takes that instead and returns true.
func (g *limiter) enqueue(w *waiter) (slot, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.quota = g.quotaOf(w.device)
	g.push(w)
	// After push: a slot that was released before is found free here, and a
	// goroutine that releases one later sees w in the queue.
	if g.tryAcquire() {
		g.remove(w)
		return nil, true
	}
	if w.quota.tryAcquire() {
		g.remove(w)
		return w.quota, true
	}
	return nil, false
}

// release gives a slot back.
func (g *limiter) release(p slot) {
	if p != nil {
		g.releaseQuota(p)
		return
	}
	if g.queued.Load() > 0 && g.handToFirst() {
		return
	}
	if g.used.Add(-1); g.queued.Load() > 0 {
		g.wakeFirst()
	}
}

// handToFirst hands the caller's shared slot to the first waiter, if that has been
// overtaken maxOvertaken times. It reports whether it did.
func (g *limiter) handToFirst() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.notify(g.queue.Front(), wakeup{handed: true})
}

// wakeFirst wakes the first waiter if a shared slot is free.
func (g *limiter) wakeFirst() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used.Load() < g.sharedLimit() {
		g.notify(g.queue.Front(), wakeup{})
	}
}

// notify takes w out of the queue and sends it c. It does nothing, and returns false, if w
// is nil, or if c hands over a slot and w has not been overtaken maxOvertaken times. It
// must be called with mu held.
func (g *limiter) notify(w *waiter, c wakeup) bool {
	if w == nil || c.handed && w.overtaken < maxOvertaken {
		return false
	}
	g.remove(w)
	w.ready <- c
	return true
}

// abandon takes w out of the queue, because its context has ended. If w has just been
// handed a slot or woken, the slot or the wake-up goes to the next waiter.
func (g *limiter) abandon(w *waiter) {
	g.mu.Lock()
	inQueue := g.remove(w)
	g.mu.Unlock()
	if inQueue {
		return
	}
	switch c := <-w.ready; {
	case c.handed:
		g.release(c.slot)
	case c.slot != nil:
		g.wakeFirstOfQuota(c.slot)
	default:
		g.wakeFirst()
	}
}

// push adds w to the queue: at the end, or in front if w has been overtaken. It must be
// called with mu held.
func (g *limiter) push(w *waiter) {
	if w.overtaken > 0 {
		g.queue.PushFront(&w.links, w)
		g.listOf(w).PushFront(&w.quotaLinks, w)
	} else {
		g.queue.PushBack(&w.links, w)
		g.listOf(w).PushBack(&w.quotaLinks, w)
	}
	g.queued.Add(1)
}

// listOf returns the second list that w waits in, beside limiter.queue. It must be called
// with mu held.
func (g *limiter) listOf(w *waiter) *list.List[waiter] {
	if w.quota == nil {
		return &g.unassigned
	}
	return &w.quota.queue
}

// remove takes w out of the queue and reports whether it was there. It must be called with
// mu held.
func (g *limiter) remove(w *waiter) bool {
	if !g.queue.Has(&w.links) {
		return false
	}
	g.queue.Remove(&w.links)
	g.listOf(w).Remove(&w.quotaLinks)
	g.queued.Add(-1)
	return true
}
