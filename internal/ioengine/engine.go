package ioengine

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/probe"
	"github.com/sluiceio/sluice/internal/record"
)

// maxReap is the largest number of completions that one Reap returns.
const maxReap = 256

// Engine moves operations into the driver and completions out of it.
//
// A pusher is a goroutine that has an operation: it links the operation into inbox
// (Queue). A submitter is a goroutine that holds mu and moves the operations of inbox
// into the driver. The leader is the one goroutine that waits for completions and reaps them;
// see below for when there is one.
//
// The leader repeats four steps (loop): it stages what is in inbox (stageOrRetire), submits that
// and waits for completions in one system call (await), makes the goroutines ready whose operations
// have completed, and lets them push their next ones before it blocks again (handOver). Until then
// state stays running. With a driver that cannot stage, the first step is a second system call.
//
// A pusher is also a submitter in two cases: the leader is blocked; or enough operations
// for a batch have arrived while the leader was running (isBatch).
//
// # The wake-up protocol
//
// A pusher writes inbox, then reads state. The leader writes state, then reads inbox. Whatever the
// order of these steps, at least one of the two sees what the other has written. So no operation is
// left in inbox without a submitter. The state that the pusher reads decides who submits:
//
//	state     who submits the operation
//	idle      A new leader. The pusher swaps state to running and starts it. A
//	          pusher whose swap fails does nothing: another goroutine was
//	          quicker, and the leader that it has started, or become, has
//	          yet to read inbox.
//	running   The leader, before it blocks: it reads inbox again after it has set
//	          state to blocked. The pusher may be quicker (see above).
//	blocked   The pusher. If another goroutine holds mu, that goroutine: it has
//	          emptied inbox already and submits what was in it, or it reads inbox
//	          again after it has unlocked mu.
//
// Three rules complete the table:
//
//   - The state becomes idle only under mu (retire). A submitter that needs a leader to
//     reap what it submits checks under mu that there is one (submitConcurrently). The
//     owner of a RequestSet and a cancel need none to submit. They start one if others
//     need it (submitAndUnlock).
//   - A leader that has set state to idle reads inbox again, and goes on if it finds an
//     operation and no other leader has started (resumeLeading).
//   - A submitter that has unlocked mu looks again (canSubmit): for operations that have
//     arrived, and for operations for which the driver had no room. The leader relies on
//     that: with few operations in flight it does not wait for mu when another goroutine
//     holds it (mayWaitNow). It may have reaped since, which makes room, and be blocked
//     by now. If it is running still, it will read inbox (leftToLeader).
//
// TestOrdersOfTheProtocol tries these steps in many orders.
//
// # Who reaps
//
// The leader reaps, and there is a leader whenever one is needed (needsLeader). While it is
// running, a submitter may reap what has completed already (helpReap). The operations of a
// RequestSet do not need one by themselves: their owner becomes the leader when it waits for them
// (RequestSet.Next). A leader is needed
//
//   - for operations of other goroutines, in flight or in the backlog;
//   - while an owner waits that has found another leader (RequestSet.sleep);
//   - while a Close waits for the operations of its file (Rings.RequireLeaders).
//
// A leader retires when no operation needs one. An owner that stops leading while one is needed
// starts a leader goroutine (stopLeading).
type Engine struct {
	drv         driver.Driver
	put         func([]*driver.Op) (int, error) // drv.Stage, or drv.Submit if drv cannot stage
	startLeader func()                          // starts a leader goroutine; state is running

	inbox probe.Pointer[driver.Op] // a stack, newest first, linked by Op.Next
	state probe.Uint32             // idle, running or blocked; see above
	// arrived counts the operations pushed since the last submission while a leader was running.
	// The count may be a few off: it only decides when a batch is large enough.
	arrived atomic.Int32
	// reapedOf is how many operations the driver had when the leader's last Reap returned, those
	// included that it returned.
	reapedOf             atomic.Int32
	spread               atomic.Bool // goroutines compute between two operations; see yield
	minBatch, minDivided int32       // see isBatch; fields so that a test can change them

	help reapHelp // what goroutines reap beside the leader

	// mu is held by the goroutine that moves operations from inbox into the driver.
	mu      probe.Mutex
	backlog backlog      // operations that the driver does not have yet; under mu
	depth   int          // the most operations that the driver may have
	scratch []*driver.Op // the batch being submitted, of at most depth; under mu
	// waiting says for which operations in the backlog the driver had no room (backlog.waiting).
	// Written under mu. See submit for the case in which it is nothingWaits although the backlog
	// is not empty.
	waiting probe.Uint32
	lost    atomic.Bool // set when the driver can no longer be used; see lost.go
	// inflight counts the operations that the driver owns. The submitter raises it under mu, before
	// the driver has the operations, and lowers it for the operations that the driver did not take.
	// The goroutine that reaps operations lowers it for them. setOps and writes count some of the
	// same operations: the requests of RequestSets, and the writes.
	inflight, setOps, writes probe.Int32
	// leaderRequests counts the goroutines that wait for a RequestSet's operations and do not lead.
	// As with inbox, the goroutine raises it, then reads state; a leader that retires writes state,
	// then reads it. Rings.closing works in the same way.
	leaderRequests probe.Int32

	rings  *Rings
	sets   atomic.Int32 // RequestSets that use this ring
	groups []*Group     // of the devices that have this ring, the oldest first. Under Rings.mu
	left   *Group       // the last one that has given it back, or nil. Under Rings.mu
	// group is the first of groups, or nil. Written under Rings.mu
	group atomic.Pointer[Group]
	load  load // the leader's alone

	number int          // of the ring: its index in Rings.All
	hook   *record.Hook // records operations, while a recorder is set
	id     uint8        // names the driver in records

	done    []*driver.Op // where the leader reaps into; the leader's alone
	hand    handover
	leaders sync.WaitGroup
	batches [BatchBuckets]atomic.Int64 // how many batches there were, by size

	registering sync.Mutex // held while the driver registers memory (RegIn)
}

const (
	idle = iota
	running
	blocked
)

// New returns an Engine that owns drv, and has hook record it. Its leaders share the Processors and
// the clock of r, and r.Losses has its loss. It is no ring of r.
func New(drv driver.Driver, r *Rings, hook *record.Hook) *Engine {
	depth := drv.Info().Depth
	e := &Engine{
		drv:        drv,
		put:        drv.Submit,
		rings:      r,
		minBatch:   minSubmitThreshold,
		minDivided: twoBatches,
		hook:       hook,
		id:         record.DriverOf(drv.Info().Name),
		depth:      depth,
		scratch:    make([]*driver.Op, 0, depth),
		done:       make([]*driver.Op, min(depth, maxReap)),
	}
	e.help.done = make([]*driver.Op, min(depth, mostHelped))
	if s, ok := drv.(driver.Stager); ok {
		e.put = func(ops []*driver.Op) (int, error) { return s.Stage(ops), nil }
	}
	e.hand.resume = make(chan struct{}, 1)
	loop := e.loop // a function value made once: go e.loop() allocates one each time
	e.startLeader = func() {
		e.leaders.Add(1)
		go loop()
	}
	return e
}

// Push queues r and ensures that a goroutine submits it.
func (e *Engine) Push(r *Request) {
	e.Queue(r)
	e.EnsureSubmitted()
}

// Queue puts r into the inbox. The caller then calls EnsureSubmitted, or, as the owner of a
// RequestSet, submits the inbox itself. Until then r may wait.
func (e *Engine) Queue(r *Request) {
	r.ring = e
	r.Op.Token = 0 // another driver's. If this one is lost now, a Cancel may reach it all the same
	r.where.Store(inQueue)
	for {
		head := e.inbox.Load()
		r.Op.Next = head
		if e.inbox.CompareAndSwap(head, &r.Op) {
			return
		}
	}
}

// EnsureSubmitted ensures that what the caller has put into the inbox is submitted.
func (e *Engine) EnsureSubmitted() {
	switch e.state.Load() {
	case idle:
		e.startLeaderIfIdle()
	case blocked:
		e.submitConcurrently()
	case running:
		if e.isBatch(e.arrived.Add(1)) {
			e.submitConcurrently()
		}
	}
}

// isBatch reports whether a pusher is to submit the operations that have arrived while the leader
// makes goroutines ready, because they are enough for a system call. With few operations in all,
// they are left to the leader, unless they are spread (yield): then the leader comes late. The
// reasons are in docs/decisions/0003-cooperative-reaper.md.
func (e *Engine) isBatch(arrived int32) bool {
	n := e.inflight.Load()
	if max(e.reapedOf.Load(), n+arrived) < e.minDivided && !e.spread.Load() {
		return false
	}
	return arrived >= max(e.minBatch, n/4)
}

// minSubmitThreshold is how many operations are worth a system call. What is divided, among relays
// or rings, has at least twoBatches in each part. Measured: docs/results/mechanisms.md.
const (
	minSubmitThreshold = 4
	twoBatches         = 2 * minSubmitThreshold
)

// startLeaderIfIdle starts a leader, unless another goroutine has just started one.
func (e *Engine) startLeaderIfIdle() {
	if e.state.CompareAndSwap(idle, running) {
		e.startLeader()
	}
}

// submitConcurrently submits what has arrived, without the leader.
func (e *Engine) submitConcurrently() {
	for e.canSubmit() && e.mu.TryLock() {
		if e.state.Load() == idle { // a retired leader would not reap what is submitted now
			e.mu.Unlock()
			return
		}
		e.submit(e.drv.Submit)
		e.mu.Unlock()
		e.helpReap()
		if e.leftToLeader() {
			return
		}
	}
}

// leftToLeader reports whether a submitter may leave what has arrived to the leader, by the third
// rule at Engine. Before a running leader blocks, it reads the inbox, but not the backlog.
func (e *Engine) leftToLeader() bool {
	return e.state.Load() == running && !e.isBatch(e.arrived.Load()) && !e.backlogFits()
}

// canSubmit reports whether there is something to submit, and room for it. Without room the leader
// submits, after it has reaped.
func (e *Engine) canSubmit() bool {
	return e.inbox.Load() != nil && e.hasRoom() || e.backlogFits()
}

// submitInbox submits what is in the inbox, whether there is a leader or not.
func (e *Engine) submitInbox() {
	for again := e.inbox.Load() != nil; again; again = e.canSubmit() {
		e.mu.Lock()
		e.submitAndUnlock()
	}
}

// submitAndUnlock submits what has arrived, whether there is a leader or not, and unlocks mu. It
// starts a leader if one is needed. Operations of other goroutines may have been in the inbox, and
// a leader that has retired now finds it empty, against the second rule at Engine.
func (e *Engine) submitAndUnlock() {
	e.submit(e.drv.Submit)
	orphans := e.state.Load() == idle && e.needsLeader()
	e.mu.Unlock()
	if orphans {
		e.startLeaderIfIdle()
	}
}

// loop is the leader's goroutine.
func (e *Engine) loop() {
	defer e.leaders.Done()
	for {
		e.giveUp()
		e.judge()
		switch retired := e.stageOrRetire(); {
		case !retired:
			if ops := e.await(); len(ops) > 0 {
				e.handOver(ops)
			}
		case !e.resumeLeading():
			return
		}
	}
}

// await waits for completions and returns the completed operations. If there is something to submit
// first, or another goroutine has reaped, it returns nil at once. The leader calls it.
func (e *Engine) await() []*driver.Op {
	e.state.Store(blocked)
	if e.inbox.Load() != nil && e.hasRoom() && !e.beingSubmitted() {
		e.state.Store(running)
		return nil
	}
	n, err := e.reap()
	if err != nil {
		e.lose(err)
	}
	return e.done[:n]
}

// beingSubmitted reports whether another goroutine submits what is in the inbox, so that the leader
// may block. The leader calls it after it has set state to blocked.
func (e *Engine) beingSubmitted() bool {
	if !e.mu.TryLock() {
		return e.mayWaitNow()
	}
	e.mu.Unlock()
	return false
}

// hasRoom reports whether the driver has room for another operation. It is always true
// for a lost driver: its operations need no room, because the leader ends them.
func (e *Engine) hasRoom() bool { return int(e.inflight.Load()) < e.depth || e.lost.Load() }

// stageOrRetire hands the driver what has arrived. It then retires the leader if nothing in flight
// needs one, and reports whether it did. After that a pusher may start another leader. If another
// goroutine holds mu, stageOrRetire may leave all that to it and return false (mayWaitNow).
func (e *Engine) stageOrRetire() (retired bool) {
	if !e.mu.TryLock() {
		if e.mayWaitNow() {
			return false
		}
		e.mu.Lock()
	}
	defer e.mu.Unlock()
	e.stageLocked()
	return e.retire()
}

// mayWaitNow reports whether a leader that has found mu held may wait for completions at once, by
// the third rule at Engine. Something must be in flight that only the leader reaps, or it might
// wait for ever. With more operations in flight than helpReap reaps, it had better wait for mu, and
// submit the next batch with its wait: docs/decisions/0003-cooperative-reaper.md.
func (e *Engine) mayWaitNow() bool {
	n := e.inflight.Load() // before setOps, which is never larger: see countInFlight
	return n <= mostHelped && n > e.setOps.Load()
}

// stageLocked moves what has arrived into the driver. If the driver can stage, the
// operations travel with the coming Reap. It must be called with mu held.
func (e *Engine) stageLocked() {
	e.submit(e.put)
	if e.backlog.Len() > 0 && e.hasRoom() {
		e.submit(e.drv.Submit) // Stage may have less room than the driver has
	}
}

// submit moves what has arrived, and what has waited in the backlog, into the driver: oldest first,
// as far as there is room. It must be called with mu held.
func (e *Engine) submit(put func([]*driver.Op) (int, error)) {
	e.arrived.Store(0)
	e.backlog.appendReversed(e.inbox.Swap(nil))
	if e.lost.Load() {
		e.leaveToLeader()
		return
	}
	batch := e.backlog.take(e.scratch[:0], e.room())
	e.waiting.Store(e.backlog.waiting())
	if len(batch) == 0 {
		return
	}
	// Counted before the driver has them: the leader may reap them before put returns.
	e.countInFlight(batch, 1)
	if at := e.hook.Now(); at != 0 {
		for _, op := range batch {
			requestOf(op).Times = Times{Submitted: at, Batch: len(batch)}
		}
	}
	n, err := put(batch)
	if n < len(batch) {
		e.countInFlight(batch[n:], -1)
		e.backlog.prepend(batch[n:])
		// The driver took fewer than it has room for. Usually the leader tries again after its next
		// Reap, so nothing waits. If nothing is in flight any more, there may be no next Reap: the
		// leader may be blocked already, because the operations that the driver did not take were
		// counted as in flight too. Then this submitter must try again.
		if e.inflight.Load() > 0 {
			e.waiting.Store(nothingWaits)
		} else {
			e.waiting.Store(e.backlog.waiting())
		}
	}
	clear(batch)
	if n > 0 {
		e.batches[min(bits.Len(uint(n)), BatchBuckets)-1].Add(1)
	}
	if err != nil {
		e.lose(err)
		e.leaveToLeader()
	}
}

// complete hands the results to the goroutines that wait for them. With relay, which is the
// leader's alone, it instead adds the requests that can be part of a relay to hand.waiters.
func (e *Engine) complete(ops []*driver.Op, relay bool) {
	e.countInFlight(ops, -1)
	at := e.hook.Now()
	for i, op := range ops {
		ops[i] = nil
		r := requestOf(op)
		r.Times.Completed = at
		if relay && r.Client == nil && r.waiting.CompareAndSwap(waits, inRelay) {
			e.hand.waiters = append(e.hand.waiters, r)
		} else {
			r.finish()
		}
	}
}

// countInFlight adds sign for each of ops to the counters that it belongs to: inflight, setOps,
// writes. setOps is never larger than inflight: it is raised last and lowered first.
func (e *Engine) countInFlight(ops []*driver.Op, sign int32) {
	var inSets, writes int32
	for _, op := range ops {
		if requestOf(op).InSet {
			inSets += sign
		}
		if isWrite(op) {
			writes += sign
		}
	}
	if writes != 0 {
		e.writes.Add(writes)
	}
	if sign < 0 && inSets != 0 {
		e.setOps.Add(inSets)
	}
	e.inflight.Add(sign * int32(len(ops)))
	if sign > 0 && inSets != 0 {
		e.setOps.Add(inSets)
	}
}

// retire sets state to idle and returns true, unless a leader is needed. The leader
// calls it with mu held. After it has unlocked mu it calls resumeLeading.
func (e *Engine) retire() bool {
	if e.needsLeader() {
		return false
	}
	e.state.Store(idle)
	return true
}

// needsLeader reports whether a leader must stay. It must be called with mu held.
func (e *Engine) needsLeader() bool {
	n := e.inflight.Load()
	return n > e.setOps.Load() || n > 0 && e.leaderRequired() || e.backlog.Len() > 0
}

// leaderRequired reports whether a goroutine that does not lead waits for operations of
// a RequestSet: an owner, or a Close.
func (e *Engine) leaderRequired() bool {
	return e.leaderRequests.Load() > 0 || e.rings.closing.Load() > 0
}

// resumeLeading makes the caller, which has just retired, the leader again if a leader
// is needed and no other goroutine has become it. It reports whether it did.
func (e *Engine) resumeLeading() bool {
	again := e.inbox.Load() != nil || e.inflight.Load() > 0 && e.leaderRequired()
	return again && e.state.CompareAndSwap(idle, running)
}

// stopLeading ends an owner's time as leader, and starts a leader goroutine if one is needed.
func (e *Engine) stopLeading() {
	e.mu.Lock()
	retired := e.retire()
	e.mu.Unlock()
	if !retired || e.resumeLeading() {
		e.startLeader()
	}
}

// ensureLeader starts a leader if there is none and something is in flight or in the inbox.
func (e *Engine) ensureLeader() {
	if e.state.Load() == idle && (e.inflight.Load() > 0 || e.inbox.Load() != nil) {
		e.startLeaderIfIdle()
	}
}

// HasLeader reports whether there is a leader.
func (e *Engine) HasLeader() bool { return e.state.Load() != idle }

// Lost reports whether the driver can no longer be used.
func (e *Engine) Lost() bool { return e.lost.Load() }

// Driver returns the driver.
func (e *Engine) Driver() driver.Driver { return e.drv }

// Wait returns when no leader is left. Nothing may be pushed any more.
func (e *Engine) Wait() { e.leaders.Wait() }

// Close closes the driver, once no leader is left.
func (e *Engine) Close() error {
	e.Wait()
	return e.drv.Close()
}
