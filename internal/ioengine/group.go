package ioengine

import (
	"sync"
	"sync/atomic"
	"time"
)

// Group is the rings of one device. It begins with one ring. Whenever a leader has more to do than
// it can (load.go), the Group gets another ring, up to Rings.PerDevice. If all leaders mostly wait
// for a second, the last ring leaves the Group; it stays open, for the next device that needs one.
// A request stays on the ring that it was pushed to.
type Group struct {
	rings *Rings
	// list has at least one. It is replaced under rings.mu; the slice itself is never changed
	list atomic.Pointer[[]*Engine]
	sets atomic.Uint32 // counts calls of Next

	mu     sync.Mutex    // guards growth and full. Locked before rings.mu
	growth Growth        // when the Group grows or shrinks
	full   time.Duration // Rings.Now until which another ring is not to be tried again
}

// First returns the ring that the device has for ever.
func (g *Group) First() *Engine { return (*g.list.Load())[0] }

// Len returns the number of rings.
func (g *Group) Len() int { return len(*g.list.Load()) }

// Of returns the ring for r, which is the same one until the Group grows or shrinks. Requests come
// from a pool with a part for each processor, so processors mostly have different rings.
func (g *Group) Of(r *Request) *Engine {
	return g.at(r.number)
}

// Next returns each of the rings in turn, for RequestSets.
func (g *Group) Next() *Engine { return g.at(g.sets.Add(1)) }

// at returns the ring for a number.
func (g *Group) at(number uint32) *Engine {
	list := *g.list.Load()
	return list[number%uint32(len(list))]
}

// most returns the most rings that g may have.
func (g *Group) most() int {
	if r := g.rings; r.open != nil && r.PerDevice != nil {
		return r.PerDevice()
	}
	return 1
}

// judge has g, which may have most rings, grow or shrink, if a leader's window says so. If another
// goroutine judges, or starts a ring, judge does nothing: there is another window soon.
func (g *Group) judge(w Window, most int) {
	r := g.rings
	if !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	now := r.Now()
	change := g.growth.Judge(w, now, g.Len(), most, r.Processors.Taken(now))
	if change == 0 || !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	switch {
	case g.First().group.Load() != g: // the device is gone, or another one's Group grows
	case change < 0:
		g.shrink()
	case now >= g.full && !r.lost.Load() && !g.grow():
		g.full = now + restTime
	}
}

// grow gives g one more ring, if there is one. It must be called with rings.mu held.
func (g *Group) grow() bool {
	r := g.rings
	e := r.leastUsed()
	if e.devices > 0 {
		if len(r.All()) >= MaxRings {
			return false
		}
		if e = r.start(); e == nil {
			return false
		}
	}
	e.devices++
	r.grown++
	e.group.Store(g)
	list := *g.list.Load()
	list = append(list[:len(list):len(list)], e)
	g.list.Store(&list)
	return true
}

// shrink takes the last ring from g. It must be called with rings.mu held.
func (g *Group) shrink() {
	list := *g.list.Load()
	last := len(list) - 1
	g.rings.release(list[last], g)
	g.rings.grown--
	list = list[:last:last]
	g.list.Store(&list)
}
