package sched

import "github.com/sluiceio/sluice/internal/driver"

// The operations of a Group are reaped by the Group's owner. While the owner waits, it
// is the leader itself, unless there is one already. While it does something else, its
// operations need no leader. They do need one in three cases: operations of other
// goroutines are in flight too; an owner waits without leading, because it found another
// leader; or a Close waits for the operations of its file.

// countInFlight adds sign to the counters inflight and groupOps for each of ops.
// groupOps is never larger than inflight: it is raised last and lowered first.
func (e *engine) countInFlight(ops []*driver.Op, sign int32) {
	tended := int32(0)
	for _, op := range ops {
		if requestOf(op).byGroup {
			tended += sign
		}
	}
	if sign < 0 && tended != 0 {
		e.groupOps.Add(tended)
	}
	e.inflight.Add(sign * int32(len(ops)))
	if sign > 0 && tended != 0 {
		e.groupOps.Add(tended)
	}
}

// retire sets state to idle and returns true, unless a leader is needed. The leader
// calls it with mu held. After it has unlocked mu it calls resumeLeading.
func (e *engine) retire() bool {
	if e.needsLeader() {
		return false
	}
	e.state.Store(idle)
	return true
}

// needsLeader reports whether a leader must stay, for operations in flight or in the
// backlog. It must be called with mu held.
func (e *engine) needsLeader() bool {
	n := e.inflight.Load()
	return n > e.groupOps.Load() || n > 0 && e.reaperRequired() || e.backlog.Len() > 0
}

// reaperRequired reports whether a goroutine that does not lead waits for operations of
// a Group: an owner, or a Close.
func (e *engine) reaperRequired() bool { return e.reaperRequests.Load() > 0 || e.closing.Load() > 0 }

// resumeLeading makes the caller, which has just retired, the leader again if a leader
// is needed and no other goroutine has become it. It reports whether it did.
func (e *engine) resumeLeading() bool {
	again := e.inbox.Load() != nil || e.inflight.Load() > 0 && e.reaperRequired()
	return again && e.state.CompareAndSwap(idle, running)
}

// stageWithoutRetiring is stage for a leader that does not retire: a Group's owner.
func (e *engine) stageWithoutRetiring() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stageLocked()
}

// stopLeading ends an owner's time as leader. If a leader is still needed, a leader
// goroutine is started.
func (e *engine) stopLeading() {
	e.mu.Lock()
	retired := e.retire()
	e.mu.Unlock()
	if !retired || e.resumeLeading() {
		e.lead()
	}
}

// submitGroupOps submits what is in the inbox, whether there is a leader or not.
func (e *engine) submitGroupOps() {
	for again := e.inbox.Load() != nil; again; again = e.canSubmit() {
		e.mu.Lock()
		e.submit(e.drv.Submit)
		// Operations of other goroutines may have been in the inbox too. Their
		// pushers rely on a leader that reads inbox after it has retired. That leader
		// would find inbox empty, so one must be started here.
		orphans := e.state.Load() == idle && e.needsLeader()
		e.mu.Unlock()
		if orphans {
			e.start()
		}
	}
}

// requireReaper ensures that there is a leader while anything is in flight, until
// releaseReaper is called.
func (e *engine) requireReaper() {
	e.reaperRequests.Add(1)
	e.ensureReaper()
}

// ensureReaper starts a leader if there is none and something is in flight or in the
// inbox.
func (e *engine) ensureReaper() {
	if e.state.Load() == idle && (e.inflight.Load() > 0 || e.inbox.Load() != nil) {
		e.start()
	}
}

func (e *engine) releaseReaper() { e.reaperRequests.Add(-1) }
