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
	leastChain  = 2 * leastBatch
	readyAtOnce = 8 // goroutines that the leader readies before the model runs the first
)

// ring is one ring with its leader. It follows ioengine.Engine step by step, for requests of
// goroutines that wait.
type ring struct {
	*program
	state    leaderState
	leader   goroutine
	inbox    []*goroutine
	inFlight int
	arrived  int
	locked   bool // a goroutine submits
	waits    bool // the leader waits for the submitter
	done     []*goroutine
	asleep   *proc // the leader waits in the kernel, and had this processor
	chains   int   // chains that have not ended
	window   ioengine.Window
}

type leaderState uint8

const (
	absent leaderState = iota
	awake
	blocked
)

// push queues the operation of g, which runs on p.
func (r *ring) push(p *proc, g *goroutine) {
	g.parked, g.ended = false, false
	r.inbox = append(r.inbox, g)
	park := func() {
		if g.ended {
			g.resume(p)
			return
		}
		g.parked = true
		r.schedule(p)
	}
	enough := r.state == blocked
	switch r.state {
	case absent:
		r.state = awake
		r.ready(p, &r.leader)
	case awake:
		r.arrived++
		enough = r.arrived >= max(leastBatch, r.inFlight/4)
	}
	if enough {
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
		r.state = blocked
		r.submit(p, func() { r.step(p, 0) })
	case len(r.done) > 0:
		r.reap(p)
	case r.locked && r.inFlight > skipLock:
		r.waits = true
		r.schedule(p)
	case r.inFlight == 0 && !r.locked:
		r.state = absent
		r.schedule(p)
	case enter > 0:
		r.state = blocked
		r.run(p, enter, func() { r.step(p, 0) })
	default:
		r.asleep, r.leader.resume = p, r.reap
		r.window.Waited++
		r.enter(p, &r.leader)
	}
}

// reap passes the results to the waiting goroutines, and notes how busy the leader is (ioengine's
// load).
func (r *ring) reap(p *proc) {
	r.state, r.leader.resume = awake, r.lead
	done, w := r.done, &r.window
	r.done = nil
	w.Reaps, w.Known, w.Operations = w.Reaps+1, w.Known+1, w.Operations+len(done)
	if w.Reaps == ioengine.WindowReaps {
		r.open += r.growth.Judge(*w, r.now, r.open, len(r.rings), r.processors.Taken(r.now))
		*w = ioengine.Window{}
	}
	if r.processors.Taken(r.now) {
		r.wakeInChains(p, done)
		return
	}
	r.wakeAll(p, done)
}

// wakeAll makes all goroutines ready, and lets them run.
func (r *ring) wakeAll(p *proc, done []*goroutine) {
	if len(done) == 0 {
		began := r.now
		r.processors.Waits(began)
		r.leader.resume = func(p *proc) {
			r.leader.resume = func(p *proc) {
				r.processors.Waited(r.now-began, r.now)
				r.leader.resume = r.lead
				r.lead(p)
			}
			r.yield(p, &r.leader)
		}
		r.yield(p, &r.leader)
		return
	}
	n := min(len(done), readyAtOnce)
	r.run(p, time.Duration(n)*r.costs.Result, func() {
		r.inFlight -= n
		for _, g := range done[:n] {
			if g.ended = true; g.parked {
				r.ready(p, g)
			}
		}
		r.wakeAll(p, done[n:])
	})
}

// wakeInChains wakes the first goroutine of a chain for each processor, and waits for the last one
// of all.
func (r *ring) wakeInChains(p *proc, done []*goroutine) {
	r.run(p, time.Duration(len(done))*r.costs.Result, func() {
		r.inFlight -= len(done)
		waiters := slices.DeleteFunc(done, func(g *goroutine) bool {
			g.ended = true
			return !g.parked
		})
		if len(waiters) == 0 {
			r.wakeAll(p, nil)
			return
		}
		procs := len(r.procs)
		for chain := range slices.Chunk(waiters, max((len(waiters)+procs-1)/procs, leastChain)) {
			r.chains++
			chain[0].chain = chain[1:]
			r.ready(p, chain[0])
		}
		r.schedule(p)
	})
}

// wakeNext makes the next goroutine of g's chain ready, or the leader. It does nothing if g, on p,
// is in no chain.
func (r *ring) wakeNext(p *proc, g *goroutine) {
	switch {
	case len(g.chain) > 0:
		g.chain[0].chain = g.chain[1:]
		r.ready(p, g.chain[0])
	case g.chain != nil:
		if r.chains--; r.chains == 0 {
			r.ready(p, &r.leader)
		}
	}
	g.chain = nil
}
