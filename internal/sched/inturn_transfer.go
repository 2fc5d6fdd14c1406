package sched

import "github.com/sluiceio/sluice/internal/driver"

// What Transfers do once there are classes: nobody waits with them.

// startInTurn has t, which is prepared, wait for its turn, and tells whether it
// need not be begun otherwise.
func (s *Scheduler) startInTurn(t *Transfer) bool {
	c := s.classOr(t.Class)
	if t.f.class != nil {
		c = t.f.class
	}
	beside := t.code == driver.Write && t.f.takesCache()
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
	// Others need room, however long the owner is about something else: a
	// leader reaps it, and not the owner of the group.
	t.r.tended = false
	t.ask(beside)
	return true
}

// ask has t wait for its turn with what is left of it.
func (t *Transfer) ask(beside bool) {
	u := turns.Get().(*turn)
	u.f, u.transfer, u.Beside = t.f, t, beside
	t.part = t.n
	t.s.engineOf(t.f).turns.push(u, t.Class, len(t.buf)-t.n)
}

// nextTurn ends t's turn, of which all was done, and has it wait for another.
func (t *Transfer) nextTurn() {
	beside := t.turn.Beside
	t.endTurn()
	t.ask(beside)
}

// endTurn ends the turn that t has. It is no longer in the queue.
func (t *Transfer) endTurn() {
	t.turn.at.end(t.turn, int64(t.n-(t.part-t.turn.Granted())))
}

// granted begins what t has been granted.
func (t *Transfer) granted() {
	s := t.s
	t.part = t.n + t.turn.Granted()
	if t.extends || !s.async(t.code, t.f) {
		s.helpers.add(t)
		return
	}
	s.waiting.Add(1)
	if t.group != nil {
		t.group.queued.Add(1)
	}
	// Once it has passed t may end, and be its owner's again.
	e := s.engineOf(t.f)
	if atOnce, ok := s.helpers.pass(t); ok {
		e.arrive(atOnce)
		return
	}
	s.waiting.Add(-1)
	if t.group != nil {
		t.group.queued.Add(-1)
	}
	t.res = ecanceled
	t.end()
}

// withdrawTurn ends t if it waits for its turn, and tells whether it did. It has
// been marked as withdrawn, so that it does not wait again.
func (t *Transfer) withdrawTurn() bool {
	if !t.s.classed.Load() {
		return false
	}
	k := t.s.engineOf(t.f).turns
	k.mu.Lock()
	u := t.turn
	was := u != nil && k.queue.Withdraw(&u.Turn)
	var granted turnList
	if was {
		t.turn = nil
		granted = k.turnOver()
	}
	k.mu.Unlock()
	if was {
		u.refuse(ecanceled)
	}
	granted.start()
	return was
}
