package sched

import "cmp"

// How Transfers are performed once there are classes. No goroutine waits with their tickets:
// a Transfer is a qos.Waiter.

// startWithTicket has t wait for its ticket, or ends it if the page cache has all of it. It returns
// false if t need not wait: the caller begins it.
func (s *Scheduler) startWithTicket(t *Transfer) bool {
	c := t.class()
	switch {
	case len(t.buf) == 0:
		return false
	case !c.Limited() && t.cached():
		t.end()
		return true
	}
	if t.asked != 0 {
		t.f = t.f.View(c) // for the record
	}
	t.ticket = s.paths.QueueOf(t.f).NewTicket(t, t.f.Owner(), useOf(t.code, t.f))
	return !t.requestTicket()
}

// class returns the class of t's operation.
func (t *Transfer) class() *Class {
	return t.s.paths.Classes.Or(cmp.Or(t.f.Class(), t.Class))
}

// requestTicket requests the ticket for the bytes that are left. If it returns true, the caller
// begins with them.
func (t *Transfer) requestTicket() bool {
	t.grantedEnd = t.n
	if !t.ticket.Request(t.class(), len(t.buf)-t.n) {
		return false
	}
	t.hasTicket, t.grantedEnd = true, len(t.buf)
	return true
}

// endTicket ends the ticket that t was granted.
func (t *Transfer) endTicket() {
	t.hasTicket = false
	t.ticket.End(int64(t.n - (t.grantedEnd - t.ticket.Granted())))
}

// Granted begins the part of t that was granted.
func (t *Transfer) Granted() {
	s := t.s
	t.hasTicket = true
	t.grantedEnd = t.n + t.ticket.Granted()
	if t.extends || !s.paths.CanQueue(t.code, t.f) {
		s.helpers.add(t)
		return
	}
	t.counter().Add(1)
	// Asked for before pushGranted: after it t may have ended, and be its owner's again.
	e := t.engine()
	if s.helpers.pushGranted(t, e) {
		e.EnsureSubmitted()
		return
	}
	t.counter().Add(-1)
	t.res = ecanceled
	t.end()
}

// Rejected ends t, which waited for its ticket, with res.
func (t *Transfer) Rejected(res int32) {
	t.res = res
	t.end()
}

// Withdrawn reports whether t has been withdrawn.
func (t *Transfer) Withdrawn() bool {
	t.s.helpers.mu.Lock()
	defer t.s.helpers.mu.Unlock()
	return t.withdrawn
}
