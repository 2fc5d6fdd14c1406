package sched

import "github.com/sluiceio/sluice/internal/driver"

// Operations of a Group are tended by its owner, who is the leader himself
// while he waits. No leader is needed for them while he does something else;
// it is when they are among others, or while somebody attends: an owner that
// found another one leading, or a Close that waits for what the file has in
// flight.

// count adds sign to the counts of operations in flight for each of ops. The
// count of all is at no time less than that of those that are tended.
func (e *engine) count(ops []*driver.Op, sign int32) {
	tended := int32(0)
	for _, op := range ops {
		if requestOf(op).tended {
			tended += sign
		}
	}
	if sign < 0 && tended != 0 {
		e.tended.Add(tended)
	}
	e.inflight.Add(sign * int32(len(ops)))
	if sign > 0 && tended != 0 {
		e.tended.Add(tended)
	}
}

// retire sets the state to idle, unless a leader is needed. The leader calls
// it, under mu, and then resumes.
func (e *engine) retire() bool {
	if e.needed() {
		return false
	}
	e.state.Store(idle)
	return true
}

// needed tells whether what is in flight needs a leader. Under mu.
func (e *engine) needed() bool {
	n := e.inflight.Load()
	return n > e.tended.Load() || n > 0 && e.attended() || e.backlog.Len() > 0
}

// attended tells whether somebody waits for what is tended, and does not lead.
func (e *engine) attended() bool { return e.attending.Load() > 0 || e.closing.Load() > 0 }

// resumes has who has retired be the leader again, if another is needed and
// nobody else has been quicker. It reports whether he is.
func (e *engine) resumes() bool {
	again := e.inbox.Load() != nil || e.inflight.Load() > 0 && e.attended()
	return again && e.state.CompareAndSwap(idle, running)
}

// hand is stage of a leader that does not retire.
func (e *engine) hand() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handOver()
}

// leave ends the lead of an owner. If a leader is needed another one goes on.
func (e *engine) leave() {
	e.mu.Lock()
	retired := e.retire()
	e.mu.Unlock()
	if !retired || e.resumes() {
		e.leaders.Add(1)
		go e.lead()
	}
}

// submitTended submits what is in the inbox, whoever leads, and be it nobody.
func (e *engine) submitTended() {
	for again := e.inbox.Load() != nil; again; again = e.pending() {
		e.mu.Lock()
		e.submit(e.drv.Submit)
		// What others have pushed may have been among it: they rely on a leader
		// that looks into the inbox when it has retired, and would find nothing.
		orphans := e.state.Load() == idle && e.needed()
		e.mu.Unlock()
		if orphans {
			e.start()
		}
	}
}

// attend has a leader be there, until unattend, while anything is in flight.
func (e *engine) attend() {
	e.attending.Add(1)
	e.beLed()
}

// beLed starts a leader, if there is none, for what is tended.
func (e *engine) beLed() {
	if e.state.Load() == idle && (e.inflight.Load() > 0 || e.inbox.Load() != nil) {
		e.start()
	}
}

func (e *engine) unattend() { e.attending.Add(-1) }
