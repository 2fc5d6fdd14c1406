package sched

import "github.com/sluiceio/sluice/internal/driver"

// How Transfers are performed once there are classes. No goroutine waits with their tickets.

// startByClass has t, which is prepared, wait for its ticket, or ends it if the page
// cache has all of it. It returns false if t needs no ticket: the caller begins it.
func (s *Scheduler) startByClass(t *Transfer) bool {
	c := s.classOr(t.Class)
	if t.f.class != nil {
		c = t.f.class
	}
	beside := t.code == driver.Write && t.f.writesThroughCache()
	switch limited := c.limited.Load(); {
	case len(t.buf) == 0, beside && !limited:
		return false
	case !limited && t.cached():
		t.end()
		return true
	}
	t.Class = c
	if t.asked != 0 {
		t.f = t.f.View(c) // for the record
	}
	// A leader reaps it, and not the owner of its group: that one may be busy with
	// something else for long, and other operations need the room.
	t.r.byGroup = false
	t.requestTicket(beside)
	return true
}

// requestTicket puts t into the queue, for the bytes that are left.
func (t *Transfer) requestTicket(beside bool) {
	u := tickets.Get().(*ticket)
	u.f, u.transfer, u.Beside = t.f, t, beside
	t.part = t.n
	t.s.engineOf(t.f).fairQueue.push(u, t.Class, len(t.buf)-t.n)
}

// nextTicket ends t's ticket, whose bytes were all transferred, and requests another.
func (t *Transfer) nextTicket() {
	beside := t.ticket.Beside
	t.endTicket()
	t.requestTicket(beside)
}

// endTicket ends the ticket that t was granted.
func (t *Transfer) endTicket() {
	t.ticket.at.end(t.ticket, int64(t.n-(t.part-t.ticket.Granted())))
}

// granted begins the part of t that was granted.
func (t *Transfer) granted() {
	s := t.s
	t.part = t.n + t.ticket.Granted()
	if t.extends || !s.async(t.code, t.f) {
		s.helpers.add(t)
		return
	}
	s.queuedOps.Add(1)
	if t.group != nil {
		t.group.queued.Add(1)
	}
	// Asked for before pushGranted: after it t may have ended, and be its owner's again.
	e := s.engineOf(t.f)
	if atOnce, ok := s.helpers.pushGranted(t); ok {
		e.ensureSubmitted(atOnce)
		return
	}
	s.queuedOps.Add(-1)
	if t.group != nil {
		t.group.queued.Add(-1)
	}
	t.res = ecanceled
	t.end()
}

// withdrawTicket ends t if it waits for its ticket, and reports whether it did. The
// caller has marked t as withdrawn, so that it does not wait again.
func (t *Transfer) withdrawTicket() bool {
	if !t.s.hasClasses.Load() {
		return false
	}
	k := t.s.engineOf(t.f).fairQueue
	k.mu.Lock()
	u := t.ticket
	was := u != nil && k.queue.Withdraw(&u.Turn)
	var granted ticketList
	if was {
		t.ticket = nil
		granted = k.grantLocked()
	}
	k.mu.Unlock()
	if was {
		u.reject(ecanceled)
	}
	granted.start()
	return was
}
