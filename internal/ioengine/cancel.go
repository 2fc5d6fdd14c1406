package ioengine

// Cancel ends r early. r has been pushed, and its owner still waits for it. Cancel asks the ring
// that has r.
//
//   - r is queued: Cancel takes it out, and ends it with Canceled.
//   - r is queued and another goroutine holds mu: Cancel marks r abandoned and ends it at once. The
//     submitter drops it later. Cancel must not wait for mu here: its holder may be in a system
//     call to a device that takes no more requests.
//   - The driver has r: Cancel passes the request on. r ends when Reap returns it, perhaps with
//     its ordinary result.
//   - r has ended in the meantime: Cancel passes the request on, and the driver does nothing.
func (r *Request) Cancel() { r.ring.cancel(r) }

func (e *Engine) cancel(r *Request) {
	op := &r.Op
	if !e.mu.TryLock() {
		if r.place.CompareAndSwap(inQueue, abandoned) {
			op.Res = Canceled
			r.finish()
			return
		}
		e.mu.Lock()
	}
	e.backlog.appendReversed(e.inbox.Swap(nil))
	waiting := e.backlog.withdraw(op)
	// The pushers of other operations in the inbox, and the leader, may have found the inbox empty
	// or mu held. These goroutines rely on the goroutine that holds mu.
	orphans := e.submitLocked()
	e.mu.Unlock()
	if orphans {
		e.startLeaderIfIdle()
	}
	e.submitConcurrently() // operations of pushers that have found mu held here
	if waiting {
		op.Res = Canceled
		r.finish()
		return
	}
	e.drv.Cancel(op)
}
