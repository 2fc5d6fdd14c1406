package ioengine

// Cancel ends r, which was pushed, early. If the driver has its operation, Cancel asks the
// driver to. If it is still queued, Cancel ends it at once. If it is queued and another
// goroutine holds mu, it is marked abandoned and left in the queue: that goroutine may be in a
// system call that does not return, as with a device that takes no more.
func (e *Engine) Cancel(r *Request) {
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
	// The pushers of what else was in the inbox, and the leader, may have found the inbox empty
	// or mu held. They rely on the goroutine that holds mu.
	orphans := e.submitLocked()
	e.mu.Unlock()
	if orphans {
		e.start()
	}
	e.submitConcurrently() // operations of pushers that have found mu held here
	if waiting {
		op.Res = Canceled
		r.finish()
		return
	}
	e.drv.Cancel(op)
}
