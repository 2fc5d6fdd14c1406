package model

import (
	"slices"
	"time"

	"github.com/sluiceio/sluice/internal/ioengine"
)

// Constants of package ioengine, and of one ring of io_uring.
const (
	depth       = 128 // the most operations in a ring
	leastBatch  = 4   // minSubmitThreshold
	skipLock    = 32  // mostHelped: the leader waits for the lock beyond it
	twoBatches  = 2 * leastBatch
	readyAtOnce = 8 // goroutines that the leader readies before the model runs the first
)

// ring is one ring with its leader, as in ioengine.Engine, for requests of goroutines that wait.
type ring struct {
	*program
	leader            goroutine
	leads, blocked    bool // there is a leader; it waits in the kernel, or is about to
	inbox             []*goroutine
	inFlight, arrived int
	reapedOf          int           // how many were in flight when the leader last reaped
	spread            bool          // the last yield took long (ioengine.Engine.yield)
	yielded           time.Duration // when it ended
	locked, waits     bool          // a goroutine submits; the leader waits for it
	done              []*goroutine
	asleep            *proc // the leader waits in the kernel, and had this processor
	relays            int   // relays that have not ended
	window            ioengine.Window
}

// push queues the operation of g, which runs on p.
func (r *ring) push(p *proc, g *goroutine) {
	g.parked, g.ended = false, false
	r.inbox = append(r.inbox, g)
	park := func() {
		if g.parked = !g.ended; g.parked {
			r.schedule(p)
		} else {
			g.resume(p)
		}
	}
	if r.leads && !r.blocked {
		r.arrived++
	}
	switch {
	case !r.leads:
		r.leads = true
		r.ready(p, &r.leader)
	case r.blocked, r.arrived >= max(leastBatch, r.inFlight/4) && (r.spread || max(r.reapedOf, r.inFlight+r.arrived) >= twoBatches):
		r.submit(p, park)
		return
	}
	park()
}

// canSubmit reports whether an operation is waiting and there is room for it.
func (r *ring) canSubmit() bool { return len(r.inbox) > 0 && r.inFlight < depth && !r.locked }

// submit makes a goroutine on p give the waiting operations to the device, in one system call as
// far as there is room, and those that have come in the call in another one. It does nothing if
// another goroutine is submitting.
func (r *ring) submit(p *proc, then func()) {
	if !r.canSubmit() {
		then()
		return
	}
	n := min(len(r.inbox), depth-r.inFlight)
	r.locked, r.arrived = true, 0
	r.inFlight += n
	r.run(p, r.costs.Enter+time.Duration(n)*(r.costs.Submit+r.costs.Entry), func() {
		for range n {
			g := pop(&r.inbox)
			r.d.submit(func() { r.complete(g) })
		}
		r.locked = false
		if r.waits {
			r.waits = false
			r.ready(p, &r.leader)
		}
		r.submit(p, then)
	})
}

// complete records that g's operation has ended.
func (r *ring) complete(g *goroutine) {
	r.done = append(r.done, g)
	if p := r.asleep; p != nil {
		r.asleep = nil
		r.exit(p, &r.leader)
	}
}

// lead makes the leader, on p, submit waiting operations and wait for results.
func (r *ring) lead(p *proc) { r.step(p, r.costs.Enter) }

// step is lead. The wait takes enter, unless the same system call has submitted.
func (r *ring) step(p *proc, enter time.Duration) {
	switch {
	case r.canSubmit():
		r.blocked = true
		r.submit(p, func() { r.step(p, 0) })
	case len(r.done) > 0:
		r.reap(p)
	case r.locked && r.inFlight > skipLock:
		r.waits = true
		r.schedule(p)
	case r.inFlight == 0 && !r.locked:
		r.leads, r.blocked = false, false
		r.schedule(p)
	case enter > 0:
		r.blocked = true
		r.run(p, enter, func() { r.step(p, 0) })
	default:
		r.asleep = p
		r.window.Waited++
		r.enter(p, &r.leader, r.reap)
	}
}

// reap passes results to waiting goroutines, and notes how busy the leader is (ioengine's load).
func (r *ring) reap(p *proc) {
	done, w := r.done, &r.window
	r.done, r.blocked, r.reapedOf, r.leader.resume = nil, false, r.inFlight, r.lead
	w.Reaps, w.Known, w.Operations = w.Reaps+1, w.Known+1, w.Operations+len(done)
	w.InFlight, w.Depth = max(w.InFlight, r.inFlight), depth
	if w.Reaps == ioengine.WindowReaps {
		r.open += r.growth.Judge(*w, r.now, r.open, len(r.rings), r.processors.Taken(r.now))
		*w = ioengine.Window{}
	}
	r.handOver(p, done)
}

// handOver passes results to the waiting goroutines, a few at a time, and yields. If the processors
// are taken, it makes a relay for each processor, and wakes the first goroutine of each. The last
// goroutine of all relays wakes the leader.
func (r *ring) handOver(p *proc, done []*goroutine) {
	n, length, taken := min(len(done), readyAtOnce), 1, r.processors.Taken(r.now)
	if taken {
		n = len(done)
		length = max((n+len(r.procs)-1)/len(r.procs), twoBatches)
	}
	r.run(p, time.Duration(n)*r.costs.Result, func() {
		r.inFlight -= n
		parked := slices.DeleteFunc(done[:n:n], func(g *goroutine) bool {
			g.ended = true
			return !g.parked
		})
		for relay := range slices.Chunk(parked, length) {
			if taken {
				r.relays, r.spread = r.relays+1, false
				relay[0].relay = relay[1:]
			}
			r.ready(p, relay[0])
		}
		switch {
		case r.relays > 0:
			r.schedule(p)
		case n < len(done):
			r.handOver(p, done[n:])
		default:
			began := r.now
			r.yieldNoted(p, &r.leader, 2, func(p *proc) {
				r.spread = 8*(r.now-began) >= r.now-r.yielded
				r.yielded, r.leader.resume = r.now, r.lead
				r.lead(p)
			})
		}
	})
}

// wakeNext makes the next goroutine of g's relay ready, or the leader. It does nothing if g, on p,
// is in no relay.
func (r *ring) wakeNext(p *proc, g *goroutine) {
	switch {
	case len(g.relay) > 0:
		g.relay[0].relay = g.relay[1:]
		r.ready(p, g.relay[0])
	case g.relay != nil:
		if r.relays--; r.relays == 0 {
			r.ready(p, &r.leader)
		}
	}
	g.relay = nil
}
