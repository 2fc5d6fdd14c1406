package ioengine

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// Group is the rings of one device: one at first, and up to Rings.PerDevice while leaders have more
// to do than they can (Growth). Leaders judge that (docs/decisions/0024-rings.md). A request stays
// on the ring that it was pushed to.
type Group struct {
	list   ringList      // at least one
	next   atomic.Uint32 // counts calls of Next
	growth Growth        // when the Group grows or shrinks. Under Rings.mu
	full   time.Duration // until then no other ring is tried, by Rings.Now. Under Rings.mu
}

// ringList is a list of rings. It is replaced under Rings.mu, and the slice itself never changes.
type ringList struct{ p atomic.Pointer[[]*Engine] }

func (l *ringList) set(list []*Engine) { l.p.Store(&list) }

func (l *ringList) get() []*Engine {
	if list := l.p.Load(); list != nil {
		return *list
	}
	return nil
}

// Len returns the number of rings.
func (g *Group) Len() int { return len(g.list.get()) }

// Hook returns what records the first ring.
func (g *Group) Hook() *record.Hook { return g.at(0).hook }

// Of returns the ring for r, which is the same one until the Group grows or shrinks. Requests come
// from a pool with a part for each processor, so processors mostly have different rings.
func (g *Group) Of(r *Request) *Engine { return g.at(r.number) }

// Next returns each of the rings in turn, for a RequestSet. The ring is no other device's until the
// RequestSet is closed, even if it leaves the Group.
func (g *Group) Next() *Engine {
	for {
		e := g.at(g.next.Add(1))
		e.sets.Add(1) // before the list is read again: Rings.unused reads them in the other order
		if slices.Contains(g.list.get(), e) {
			return e
		}
		e.sets.Add(-1)
	}
}

func (g *Group) at(number uint32) *Engine {
	list := g.list.get()
	return list[number%uint32(len(list))]
}

// judge has g, which may have most rings, grow or shrink, if a leader's window says so. If another
// goroutine judges, or starts a ring, judge does nothing: there is another window soon.
func (g *Group) judge(w Window, most int) {
	r := g.at(0).rings
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	list := g.list.get()
	if list[0].group.Load() != g { // the device is gone, or another one's Group grows
		return
	}
	now := r.Now()
	switch change := g.growth.Judge(w, now, len(list), most, r.Processors.Taken(now)); {
	case change < 0:
		last := len(list) - 1
		r.release(list[last], g)
		r.grown--
		g.list.set(list[:last])
	case change > 0 && now >= g.full:
		var e *Engine
		if r.grown < MaxRings-r.most { // the first devices get one each, whenever they come
			e = r.unused(g, true)
		}
		if e != nil {
			g.add(e)
			r.grown++
		} else {
			g.full = now + restTime
		}
	}
}

// add gives g one more ring. It must be called with Rings.mu held.
func (g *Group) add(e *Engine) {
	e.groups = append(e.groups, g)
	e.group.Store(e.groups[0]) // a ring of several devices grows for the first of them alone
	g.list.set(append(slices.Clip(g.list.get()), e))
}
