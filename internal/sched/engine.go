package sched

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// maxReap is the largest number of completions that one Reap returns.
const maxReap = 256

// engine moves operations into the driver and completions out of it.
//
// A pusher is a goroutine that has an operation: it links the operation into inbox
// (push). A submitter is a goroutine that holds mu and moves the operations of inbox
// into the driver. The leader is the one goroutine that reaps completions. It exists
// while operations are in flight that it must reap (reaper.go).
//
// The leader repeats four steps (loop):
//
//  1. It stages what is in inbox (stage).
//  2. It submits that and waits for completions, in one system call (await).
//  3. It makes the goroutines ready whose operations have completed (complete).
//  4. It yields, so that these goroutines run and push their next operations before
//     the leader blocks again.
//
// So a batch costs one system call. A driver that cannot stage submits in step 1,
// with a system call of its own.
//
// A pusher is also a submitter in three cases: the leader is blocked; the operation is
// not worth batching (submitsAlone); or enough operations for a batch have arrived
// while the leader was running (submitThreshold).
//
// # The wake-up protocol
//
// A pusher writes inbox, then reads state. The leader writes state, then reads inbox.
// Whatever the order of these steps, at least one of the two sees what the other has
// written. So no operation is left in inbox with nobody to submit it. The state that the
// pusher reads decides who submits:
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
//     operations of a Group need none, because their owner reaps them (reaper.go).
//   - A leader that has set state to idle reads inbox again, and goes on if it finds an
//     operation and no other leader has started (resumeLeading).
//   - A submitter that has unlocked mu looks again (canSubmit): for operations that have
//     arrived, and for operations for which the driver had no room. The leader relies on
//     that: with few operations in flight it does not wait for mu when another goroutine
//     holds it (mayWaitNow). It may have reaped since, which makes room, and be blocked
//     by now.
//
// TestOrdersOfTheProtocol tries these steps in many orders.
type engine struct {
	drv    driver.Driver
	stager driver.Stager // drv, or nil if it cannot stage
	lead   func()        // starts a leader goroutine; state is running already

	inbox probedOp     // a stack, newest first, linked by Op.Next
	state probedUint32 // idle, running or blocked; see above
	// arrived counts the operations pushed since the last submission while a leader
	// was running. It may be a few off: it only decides when a batch is large enough.
	arrived atomic.Int32

	// mu is held by the goroutine that moves operations from inbox into the driver.
	mu      probedMutex
	backlog backlog      // operations that the driver does not have yet; under mu
	scratch []*driver.Op // the batch being submitted, as large as the driver is deep; under mu
	// hasBacklog reports, without mu, whether a submitter should try the backlog
	// again: the driver had no room for some of it. Written under mu. See submit for
	// the case in which it is false although the backlog is not empty.
	hasBacklog probedBool
	// lost is set when the driver can no longer be used; see lostdrivers.go. onLoss,
	// if not nil, is then called once, perhaps under mu.
	lost   atomic.Bool
	onLoss func(*engine, error)
	// inflight counts the operations that the driver owns. The submitter raises it
	// under mu, before the driver has them, and lowers it for those that the driver
	// did not take. The leader lowers it for those that it has reaped. groupOps
	// counts those of them that belong to a Group.
	inflight, groupOps probedInt32
	// reaperRequests counts the goroutines that wait for operations of a Group
	// without leading. Such a goroutine raises it, then reads state; a leader that
	// retires writes state, then reads it. So one of them sees the other, and there
	// is a leader. closing counts the Closes of files in progress and works in the
	// same way; all rings have the same counter.
	reaperRequests probedInt32
	closing        *atomic.Int32

	// device is the device that this ring belongs to, once owned is true. Both are
	// written once, under rings.mu. owned is written last, so that serves can read
	// both without the lock.
	device uint64
	owned  atomic.Bool
	number int    // its index in rings.all
	slabs  *slabs // the memory registered with it; nil for the first ring

	hook *record.Hook // records operations, while a recorder is set
	id   uint8        // names the driver in records

	done    []*driver.Op // where the leader reaps into; the leader's alone
	leaders sync.WaitGroup
	batches batchCounters
}

const (
	idle = iota
	running
	blocked
)

func newEngine(drv driver.Driver) *engine {
	depth := drv.Info().Depth
	e := &engine{
		drv:     drv,
		hook:    new(record.Hook),
		closing: new(atomic.Int32),
		id:      record.DriverOf(drv.Info().Name),
		scratch: make([]*driver.Op, 0, depth),
		done:    make([]*driver.Op, min(depth, maxReap)),
	}
	e.stager, _ = drv.(driver.Stager)
	loop := e.loop // a function value made once: go e.loop() allocates one each time
	e.lead = func() {
		e.leaders.Add(1)
		go loop()
	}
	return e
}

// push queues op and ensures that a goroutine submits it.
func (e *engine) push(op *driver.Op) {
	atOnce := submitsAlone(op) // before push: an op in the inbox may already be another goroutine's
	e.pushInbox(op)
	e.ensureSubmitted(atOnce)
}

// ensureSubmitted ensures that what the caller has put into the inbox is submitted.
func (e *engine) ensureSubmitted(atOnce bool) {
	switch e.state.Load() {
	case idle:
		e.start()
	case blocked:
		e.submitConcurrently()
	case running:
		if e.arrived.Add(1) >= e.submitThreshold() || atOnce {
			e.submitConcurrently()
		}
	}
}

// submitThreshold returns how many operations must arrive, while the leader makes
// goroutines ready, before a pusher submits them without the leader. It is large
// enough that a system call for them costs little. It is small enough that the device
// is busy again before the rest have arrived. With one batch for all of them, a
// device that completes a batch at once would be idle until the next one, and would
// complete that at once too. Measured: docs/decisions/0003-cooperative-reaper.md.
func (e *engine) submitThreshold() int32 { return max(minSubmitThreshold, e.inflight.Load()/4) }

const minSubmitThreshold = 4

// pushInbox puts op into the inbox. The caller then ensures that it is submitted.
func (e *engine) pushInbox(op *driver.Op) {
	requestOf(op).place.Store(inQueue)
	for {
		head := e.inbox.Load()
		op.Next = head
		if e.inbox.CompareAndSwap(head, op) {
			return
		}
	}
}

// submitsAlone reports whether op is submitted at once, in a system call of its own.
// The kernel holds back the requests of a batch until it has prepared the last of them,
// and a device that has finished one batch is idle until the next. For large transfers
// and for writes that costs more than a system call.
func submitsAlone(op *driver.Op) bool {
	return op.Code == driver.Write || len(op.Buf) >= largeRead
}

// start starts a leader, unless another goroutine has just started one.
func (e *engine) start() {
	if e.state.CompareAndSwap(idle, running) {
		e.lead()
	}
}

// submitConcurrently submits what has arrived, without the leader.
func (e *engine) submitConcurrently() {
	for e.canSubmit() && e.mu.TryLock() {
		// Checked under mu: a leader that has retired meanwhile would not reap what
		// is submitted now.
		led := e.state.Load() != idle
		if led {
			e.submit(e.drv.Submit)
		}
		e.mu.Unlock()
		if !led {
			return
		}
	}
}

// canSubmit reports whether there is something to submit, and room for it. Without
// room the leader submits, after it has reaped. A goroutine that has unlocked mu calls
// canSubmit again. Pushers and the leader that found mu held rely on that: for
// operations that have arrived meanwhile, and for those that have room by now.
func (e *engine) canSubmit() bool {
	return (e.inbox.Load() != nil || e.hasBacklog.Load()) && e.hasRoom()
}

// loop is the leader's goroutine.
func (e *engine) loop() {
	defer e.leaders.Done()
	for {
		e.giveUp()
		if retired := e.stage(); retired {
			if !e.resumeLeading() {
				return
			}
			continue
		}
		if ops := e.await(); ops != nil {
			e.complete(ops)
			// Twice: the first yield runs the goroutines made ready by complete, the second
			// those that they have made ready in turn.
			runtime.Gosched()
			runtime.Gosched()
		}
	}
}

// await waits for completions and returns the completed operations. If there is
// something to submit first, it returns nil at once. The leader calls it.
func (e *engine) await() []*driver.Op {
	e.state.Store(blocked)
	if e.inbox.Load() != nil && e.hasRoom() && !e.beingSubmitted() {
		e.state.Store(running)
		return nil
	}
	n, err := e.drv.Reap(e.done, 1)
	e.state.Store(running)
	if err != nil {
		e.lose(err)
	}
	return e.done[:n]
}

// beingSubmitted reports whether another goroutine submits what is in the inbox, so
// that the leader may block. The leader calls it after it has set state to blocked: a
// goroutine that holds mu now reads inbox again once it has unlocked mu.
func (e *engine) beingSubmitted() bool {
	if !e.mu.TryLock() {
		return e.mayWaitNow()
	}
	e.mu.Unlock()
	return false
}

// hasRoom reports whether the driver has room for another operation. It is always true
// for a lost driver: its operations need no room, because the leader ends them.
func (e *engine) hasRoom() bool { return int(e.inflight.Load()) < cap(e.scratch) || e.lost.Load() }

// stage hands the driver what has arrived. It then retires the leader if nothing in
// flight needs one, and reports whether it did. After that a pusher may start another
// leader. If another goroutine holds mu, stage may leave all that to it and return false
// (mayWaitNow).
func (e *engine) stage() (retired bool) {
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

// mayWaitNow reports whether a leader that has found mu held may wait for completions
// at once. The goroutine that holds mu submits what has arrived, and looks for more
// after it has unlocked mu. Something must be in flight that only the leader reaps:
// otherwise the leader might wait for ever. With many operations in flight the leader
// had better wait for mu, and submit the next batch with its wait. The limit is
// measured: docs/decisions/0003-cooperative-reaper.md.
func (e *engine) mayWaitNow() bool {
	n := e.inflight.Load() // before groupOps, which is never larger: see countInFlight
	return n <= maxInFlightToSkip && n > e.groupOps.Load()
}

const maxInFlightToSkip = 40

// stageLocked moves what has arrived into the driver. If the driver can stage, the
// operations travel with the coming Reap. It must be called with mu held.
func (e *engine) stageLocked() {
	if e.stager != nil {
		e.submit(func(ops []*driver.Op) (int, error) { return e.stager.Stage(ops), nil })
	} else {
		e.submit(e.drv.Submit)
	}
	if e.backlog.Len() > 0 && e.hasRoom() {
		e.submit(e.drv.Submit) // Stage may have less room than the driver has
	}
}

// submit moves what has arrived into the driver, oldest first, as far as there is room.
// It returns how many operations the driver took. It must be called with mu held.
func (e *engine) submit(put func([]*driver.Op) (int, error)) int {
	e.arrived.Store(0)
	e.backlog.appendReversed(e.inbox.Swap(nil))
	if e.lost.Load() {
		e.leaveToLeader()
		return 0
	}
	batch := e.backlog.take(e.scratch[:0], cap(e.scratch)-int(e.inflight.Load()))
	e.hasBacklog.Store(e.backlog.Len() > 0)
	if len(batch) == 0 {
		return 0
	}
	// Counted before the driver has them: the leader may reap them before put
	// returns.
	e.countInFlight(batch, 1)
	e.noteSubmitted(batch)
	n, err := put(batch)
	if n < len(batch) {
		e.countInFlight(batch[n:], -1)
		e.backlog.prepend(batch[n:])
		// The driver took fewer than it has room for. Usually the leader tries again
		// after its next Reap, so hasBacklog is false. If nothing is in flight any
		// more, there may be no next Reap: the leader may be blocked already, because
		// the operations that the driver did not take were counted as in flight too.
		// Then this submitter must try again.
		e.hasBacklog.Store(e.inflight.Load() == 0)
	}
	clear(batch)
	e.batches.add(n)
	if err != nil {
		e.lose(err)
		e.leaveToLeader()
	}
	return n
}

// complete hands the results to the goroutines that wait for them.
func (e *engine) complete(ops []*driver.Op) {
	e.countInFlight(ops, -1)
	at := e.hook.Now()
	for i, op := range ops {
		ops[i] = nil
		r := requestOf(op)
		r.timestamps.completed = at
		r.finish()
	}
}

// cancel ends op early. If the driver has op, cancel asks the driver to. If op is still
// queued, cancel ends it at once. If it is queued and another goroutine holds mu, op is
// marked abandoned and left in the queue: that goroutine may be in a system call that
// does not return, as with a device that takes no more.
func (e *engine) cancel(op *driver.Op) {
	if !e.mu.TryLock() {
		if r := requestOf(op); r.place.CompareAndSwap(inQueue, abandoned) {
			op.Res = ecanceled
			r.finish()
			return
		}
		e.mu.Lock()
	}
	e.backlog.appendReversed(e.inbox.Swap(nil))
	waiting := e.backlog.withdraw(op)
	e.resubmitBacklog()
	e.mu.Unlock()
	e.submitConcurrently() // operations of pushers that have found mu held here
	if waiting {
		op.Res = ecanceled
		requestOf(op).finish()
		return
	}
	e.drv.Cancel(op)
}

// resubmitBacklog submits what cancel has taken out of the inbox. The pushers of these
// operations, and the leader, may have found the inbox empty or mu held. They rely on
// the goroutine that holds mu. It must be called with mu held.
func (e *engine) resubmitBacklog() {
	switch {
	case e.backlog.Len() == 0:
	case e.state.Load() == idle:
		e.start()
	default: // there is a leader, and it does not retire while mu is held
		e.submit(e.drv.Submit)
	}
}

// hasReaper reports whether there is a leader.
func (e *engine) hasReaper() bool { return e.state.Load() != idle }

// wait returns when no leader is left. Nothing may be pushed any more.
func (e *engine) wait() { e.leaders.Wait() }
