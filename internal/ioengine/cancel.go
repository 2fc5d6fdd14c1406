package ioengine

// Cancel ends r early. r has been pushed, and its owner still waits for it. The ring that has r
// does what fits:
//
//	r is queued                     takes r out, and ends it with Canceled
//	… and another goroutine has mu  marks r abandoned, and ends it at once with Canceled
//	the driver has r                asks the driver; r ends when Reap returns it, perhaps as usual
//	r has ended by now              asks the driver, which does nothing
func (r *Request) Cancel() {
	e, op := r.ring, &r.Op
	if !e.mu.TryLock() {
		// The submitter drops r later. Cancel must not wait for mu while r is queued: the holder of
		// mu may be in a system call to a device that takes no more requests.
		if r.where.CompareAndSwap(inQueue, abandoned) {
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
	e.submitAndUnlock()
	e.submitConcurrently() // operations of pushers that have found mu held here
	if waiting {
		op.Res = Canceled
		r.finish()
		return
	}
	e.drv.Cancel(op)
}
