package ioengine

import (
	"sync/atomic"
	"time"
)

// Group is the rings of one device. It has one ring, and another one whenever the leader of one has more to do than it
// can (load.go), up to Rings.PerDevice. If all leaders mostly wait for a second, the last ring leaves the Group; it
// stays open, for the next device that needs one. A request stays on the ring that it was pushed to.
type Group struct {
	rings *Rings
	list  atomic.Pointer[[]*Engine] // at least one. Replaced under rings.mu; the slice itself is never changed
	sets  atomic.Uint32             // counts calls of Next
	busy  atomic.Int64              // Rings.Now when a leader was last found busy, or the Group changed
	full  atomic.Int64              // Rings.Now until which another ring is not to be tried again
}

// First returns the ring that the device has for ever.
func (g *Group) First() *Engine { return (*g.list.Load())[0] }

// Len returns the number of rings.
func (g *Group) Len() int { return len(*g.list.Load()) }

// Of returns the ring for r, which is the same one until the Group grows or shrinks. Requests come from a pool that
// each processor has a part of, so goroutines on different processors mostly have different rings.
func (g *Group) Of(r *Request) *Engine {
	list := *g.list.Load()
	if len(list) == 1 {
		return list[0]
	}
	return list[int(r.number)%len(list)]
}

// Next returns each of the rings in turn, for RequestSets.
func (g *Group) Next() *Engine {
	list := *g.list.Load()
	if len(list) == 1 {
		return list[0]
	}
	return list[int(g.sets.Add(1))%len(list)]
}

// restTime is how long all leaders of a Group mostly wait before it has one ring less.
const restTime = time.Second

// mayChange reports whether g may have more than one ring, or has.
func (g *Group) mayChange() bool { return g.Len() > 1 || g.most() > 1 }

// most returns the most rings that g may have.
func (g *Group) most() int {
	if r := g.rings; r.open != nil && r.PerDevice != nil {
		return r.PerDevice()
	}
	return 1
}

// grow gives g one more ring, if it may have more. A leader calls it. It does nothing if another goroutine starts a
// ring just now.
func (g *Group) grow() {
	r := g.rings
	if int64(r.Now()) < g.full.Load() || !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	list := *g.list.Load()
	if len(list) >= g.most() || list[0].group.Load() != g || r.lost.Load() {
		return
	}
	e := r.leastUsed()
	if e.devices > 0 {
		if len(r.All()) >= MaxRings {
			return
		}
		if e = r.start(); e == nil {
			g.full.Store(int64(r.Now() + restTime))
			return
		}
	}
	e.devices++
	r.grown++
	e.group.Store(g)
	g.set(append(list[:len(list):len(list)], e))
}

// shrink takes the last ring from g. A leader calls it.
func (g *Group) shrink() {
	r := g.rings
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	list := *g.list.Load()
	last := len(list) - 1
	if last == 0 || list[0].group.Load() != g {
		return
	}
	r.release(list[last], g)
	r.grown--
	g.set(list[:last:last])
}

// set makes list the rings. It must be called with rings.mu held.
func (g *Group) set(list []*Engine) {
	g.list.Store(&list)
	g.busy.Store(int64(g.rings.Now()))
}
