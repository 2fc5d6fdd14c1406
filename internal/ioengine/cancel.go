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
	e.resubmitBacklog()
	e.mu.Unlock()
	e.submitConcurrently() // operations of pushers that have found mu held here
	if waiting {
		op.Res = Canceled
		r.finish()
		return
	}
	e.drv.Cancel(op)
}

// resubmitBacklog submits what Cancel has taken out of the inbox. The pushers of these
// operations, and the leader, may have found the inbox empty or mu held. They rely on
// the goroutine that holds mu. It must be called with mu held.
func (e *Engine) resubmitBacklog() {
	switch {
	case e.backlog.Len() == 0:
	case e.state.Load() == idle:
		e.start()
	default: // there is a leader, and it does not retire while mu is held
		e.submit(e.drv.Submit)
	}
}
