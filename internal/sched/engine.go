package sched

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// reapMost is how many completions are taken at once.
const reapMost = 256

// engine moves queued operations into the driver and completions out of it.
//
// Anybody pushes to the inbox. One goroutine, the leader, exists while
// anything is in flight. It loops: stage what has arrived; one system call
// that submits and waits; make the goroutines ready whose operations are
// done; yield, so that they run and queue their next requests before the
// leader blocks again. That is one system call a batch. While the leader is
// blocked, who arrives submits for himself and whoever came along. So does, at
// any time, who brings what is not worth batching (see prompt), or the last of
// what makes a batch (see wave).
//
// # The wake-up protocol
//
// A pusher links its operation into inbox, then reads state. The leader
// writes state, then reads inbox. Whatever the order, one of them sees the
// other:
//
//	state     who submits what is pushed
//	idle      the pusher that swaps it to running starts a leader, which does
//	running   the leader, before it blocks: it looks at inbox again after
//	          it has set state to blocked. A pusher may be quicker
//	blocked   the pusher; if another holds mu, that one, which looks at
//	          inbox again after it has let go of mu, or has emptied it and
//	          submits what was in it
//
// The state becomes idle under mu only, and who submits for a leader asks
// under mu whether there still is one. For operations that are tended by who
// has pushed them there need be none: see tend.go.
//
// Who looks again when he has let go of mu looks for what has arrived, and for
// what the driver had no room for: a leader that found mu held may have reaped,
// and waits by now (see pending, passes). A test tries all orders of these steps.
type engine struct {
	drv    driver.Driver
	stager driver.Stager // drv, if it can stage
	lead   func()        // e.loop, made once: go e.loop() allocates

	inbox atomic.Pointer[driver.Op] // stack, newest first, linked by Next
	state atomic.Uint32             // idle, running or blocked; see above
	// arrived counts what has been pushed while a leader was running and nobody
	// has submitted since. It may be a few off.
	arrived atomic.Int32

	// mu is held by who moves operations from the inbox into the driver.
	mu      sync.Mutex
	backlog backlog // under mu
	scratch []*driver.Op
	// crowded tells, to who is about to take mu, that the backlog has
	// operations which the driver had no room for. Written under mu.
	crowded atomic.Bool
	// inflight counts operations that the driver owns: raised under mu,
	// lowered by the leader. Tended counts those of them that are a Group's.
	inflight, tended atomic.Int32
	// attending counts those who wait for operations that are tended, and are
	// no leader. Each raises it, then reads state; a leader that retires
	// writes state, then reads it. So does closing, which all rings have in
	// common: the Closes of files.
	attending atomic.Int32
	closing   *atomic.Int32

	// device is whose ring it is, once owned: both written under rings.mu, and
	// once, device first.
	device uint64
	owned  atomic.Bool
	number int // among the rings
	turns  *turnstile
	slabs  *slabs // what memory is registered with it; nil with the first one

	hook *record.Hook // who records, if anybody
	id   uint8        // the driver's, in records

	done    []*driver.Op // the leader's
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
		done:    make([]*driver.Op, min(depth, reapMost)),
	}
	e.stager, _ = drv.(driver.Stager)
	e.lead = e.loop
	return e
}

// push queues op and sees to it that someone submits it.
func (e *engine) push(op *driver.Op) {
	atOnce := prompt(op) // asked here: once op is in the inbox it may be anyone's
	e.put(op)
	e.arrive(atOnce)
}

// arrive sees to it that someone submits what was put into the inbox.
func (e *engine) arrive(atOnce bool) {
	switch e.state.Load() {
	case idle:
		e.start()
	case blocked:
		e.submitBeside()
	case running:
		if e.arrived.Add(1) >= e.wave() || atOnce {
			e.submitBeside()
		}
	}
}

// wave is how many operations arrive, while the leader makes goroutines ready,
// before they are submitted without it: so many that a system call for them
// costs little, and so few that the device is at work again before they have
// all arrived. Otherwise a device that has ended all that it had in one go, as
// some do with a batch, would do so again with the next. Measured:
// docs/decisions/0003-cooperative-reaper.md.
func (e *engine) wave() int32 { return max(leastWave, e.inflight.Load()/4) }

const leastWave = 4

// put puts op into the inbox.
func (e *engine) put(op *driver.Op) {
	for {
		head := e.inbox.Load()
		op.Next = head
		if e.inbox.CompareAndSwap(head, op) {
			return
		}
	}
}

// prompt tells whether op is to be submitted at once, in a system call of its
// own. The kernel holds the requests of a batch back until it has prepared the
// last of them, and a device that has finished one batch waits for the next.
// For large transfers and for writes that costs more than a system call.
func prompt(op *driver.Op) bool {
	return op.Code == driver.Write || len(op.Buf) >= largeRead
}

// start starts a leader, unless another has been quicker.
func (e *engine) start() {
	if e.state.CompareAndSwap(idle, running) {
		e.leaders.Add(1)
		go e.lead()
	}
}

// submitBeside submits what has arrived in the leader's place.
func (e *engine) submitBeside() {
	for e.pending() && e.mu.TryLock() {
		// Asked again under mu: a leader that has meanwhile retired would
		// not reap what is submitted now.
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

// pending tells whether there is something to be submitted, and room for it.
// If there is none, the leader reaps, then submits. Who has held mu asks when
// he has let go of it: a leader that has found it held, and others, rely on
// him also for what has arrived, or has got room, in the meantime.
func (e *engine) pending() bool {
	return (e.inbox.Load() != nil || e.crowded.Load()) && e.hasRoom()
}

// loop is the leader.
func (e *engine) loop() {
	defer e.leaders.Done()
	for {
		if retired := e.stage(); retired {
			if !e.resumes() {
				return
			}
			continue
		}
		if ops := e.await(); ops != nil {
			e.complete(ops)
			// Twice: the first yield runs who was made ready here, the second
			// those whom they woke in turn.
			runtime.Gosched()
			runtime.Gosched()
		}
	}
}

// await waits for completions. It returns nil instead if there is something to
// be submitted first. The leader calls it.
func (e *engine) await() []*driver.Op {
	e.state.Store(blocked)
	if e.inbox.Load() != nil && e.hasRoom() && !e.beingSubmitted() {
		e.state.Store(running)
		return nil
	}
	n, err := e.drv.Reap(e.done, 1)
	e.state.Store(running)
	if err != nil {
		panic("sched: the driver ended with operations in flight: " + err.Error())
	}
	return e.done[:n]
}

// beingSubmitted tells the leader, once it has set the state to blocked, that
// somebody else submits what is in the inbox: who holds mu now looks again when
// it has let go.
func (e *engine) beingSubmitted() bool {
	if !e.mu.TryLock() {
		return e.passes()
	}
	e.mu.Unlock()
	return false
}

// hasRoom tells whether the driver would take another operation.
func (e *engine) hasRoom() bool { return int(e.inflight.Load()) < cap(e.scratch) }

// stage hands over what has arrived. If nothing is in flight then that needs a
// leader, the leader retires: from here on a pusher may start another one.
func (e *engine) stage() (retired bool) {
	if !e.mu.TryLock() {
		if e.passes() {
			return false
		}
		e.mu.Lock()
	}
	defer e.mu.Unlock()
	e.handOver()
	return e.retire()
}

// passes tells a leader that has found mu held to wait for completions at
// once: who holds mu submits what has arrived, and looks for more when it has
// let go. There must be something in flight that only the leader reaps, or it
// might wait for ever. With many in flight it is better to wait for mu and
// submit the next batch with the wait: measured, as was wave.
func (e *engine) passes() bool {
	n := e.inflight.Load() // before tended, which is never more: see count
	return n <= passMost && n > e.tended.Load()
}

const passMost = 40

// handOver moves what has arrived into the driver, with the coming Reap if the
// driver can. Under mu.
func (e *engine) handOver() {
	if e.stager != nil {
		e.submit(func(ops []*driver.Op) (int, error) { return e.stager.Stage(ops), nil })
	} else {
		e.submit(e.drv.Submit)
	}
	if e.backlog.Len() > 0 && e.hasRoom() {
		e.submit(e.drv.Submit) // Stage may have less room than the driver
	}
}

// submit moves what has arrived into the driver, oldest first, as far as
// there is room, and reports how many it took. Under mu.
func (e *engine) submit(put func([]*driver.Op) (int, error)) int {
	e.arrived.Store(0)
	e.backlog.appendReversed(e.inbox.Swap(nil))
	batch := e.backlog.take(e.scratch[:0], cap(e.scratch)-int(e.inflight.Load()))
	e.crowded.Store(e.backlog.Len() > 0)
	if len(batch) == 0 {
		return 0
	}
	// Counted before the driver has them: the leader may reap them before
	// put returns.
	e.count(batch, 1)
	e.noteSubmitted(batch)
	n, err := put(batch)
	if err != nil {
		panic("sched: the driver ended while in use: " + err.Error())
	}
	if n < len(batch) {
		e.inflight.Add(int32(n - len(batch)))
		e.backlog.prepend(batch[n:])
		e.crowded.Store(false) // the driver had not: it is asked again after the next Reap
	}
	clear(batch)
	e.batches.add(n)
	return n
}

// complete hands results to who waits for them.
func (e *engine) complete(ops []*driver.Op) {
	e.count(ops, -1)
	at := e.hook.Now()
	for i, op := range ops {
		ops[i] = nil
		r := requestOf(op)
		r.trip.completed = at
		r.finish()
	}
}

// cancel ends op early: at once if the driver does not have it yet.
func (e *engine) cancel(op *driver.Op) {
	e.mu.Lock()
	e.backlog.appendReversed(e.inbox.Swap(nil))
	waiting := e.backlog.withdraw(op)
	e.forward()
	e.mu.Unlock()
	e.submitBeside() // what was pushed since, by who has found mu held
	if waiting {
		op.Res = ecanceled
		requestOf(op).finish()
		return
	}
	e.drv.Cancel(op)
}

// forward sees to what cancel has taken out of the inbox: those who pushed it
// and the leader may have found the inbox empty, or mu held, and rely on who
// holds it. Under mu.
func (e *engine) forward() {
	switch {
	case e.backlog.Len() == 0:
	case e.state.Load() == idle:
		e.start()
	default: // a leader is there, and stays until it has asked under mu
		e.submit(e.drv.Submit)
	}
}

// led tells whether there is a leader.
func (e *engine) led() bool { return e.state.Load() != idle }

// wait returns when no leader is left. Nothing is pushed any more.
func (e *engine) wait() { e.leaders.Wait() }
