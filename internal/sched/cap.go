package sched

import "github.com/sluiceio/sluice/internal/fair"

// DefaultCap is what holds for a device that was not measured: what keeps most
// busy, but not much more. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}

// CapBy has what the ring of a device has in flight bounded by what find returns for
// that device's number. It is asked once there are classes and the ring, and
// whenever they change, and must not wait. Called before the first operation.
func (s *Scheduler) CapBy(find func(device uint64) fair.Cap) { s.classes.capOf = find }

// SetCap bounds what each ring has in flight while operations take turns, but for
// those of devices that have a cap of their own (CapBy).
func (s *Scheduler) SetCap(c fair.Cap) {
	s.classes.mu.Lock()
	s.classes.cap = c
	granted := s.changeTurns(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}

// Cap tells that bound.
func (s *Scheduler) Cap() fair.Cap {
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	return s.classes.cap
}

// capOf returns e's cap. Under classes.mu, if anybody else is there.
func (s *Scheduler) capOf(e *engine) fair.Cap {
	if s.classes.capOf != nil && s.classed.Load() && e.owned.Load() {
		return s.classes.capOf(e.device)
	}
	return s.classes.cap
}

// setCap sets e's cap. Under classes.mu and that of its turnstile.
func (s *Scheduler) setCap(e *engine) { e.turns.queue.SetCap(s.capOf(e)) }

// recapAll sets the caps of all devices, as there are classes now.
func (s *Scheduler) recapAll() {
	if s.classes.capOf == nil {
		return
	}
	s.classes.mu.Lock()
	granted := s.changeTurns(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}

// recap sets the cap of e, which has become a device's.
func (s *Scheduler) recap(e *engine) {
	if s.classes.capOf == nil || !s.classed.Load() {
		return
	}
	s.classes.mu.Lock()
	granted := e.changeTurns(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}
