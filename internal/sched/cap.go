package sched

import "github.com/sluiceio/sluice/internal/fair"

// DefaultCap is the cap for a device that was not measured. It keeps most devices busy,
// and is not much more. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}

// SetCapFinder has find return the cap of a device's ring, by the device's number. It is
// called once there are classes and the ring, and whenever the classes change. It is
// called with locks held and must not wait. SetCapFinder must be called before the first
// operation.
func (s *Scheduler) SetCapFinder(find func(device uint64) fair.Cap) { s.classes.capOf = find }

// SetCap bounds what each ring has in flight while operations take tickets, except for
// rings whose cap comes from SetCapFinder.
func (s *Scheduler) SetCap(c fair.Cap) {
	s.classes.mu.Lock()
	s.classes.cap = c
	granted := s.changeQueues(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}

// Cap returns the bound that SetCap sets.
func (s *Scheduler) Cap() fair.Cap {
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	return s.classes.cap
}

// capOf returns e's cap. It must be called with classes.mu held, unless the Scheduler is
// being made.
func (s *Scheduler) capOf(e *engine) fair.Cap {
	if s.classes.capOf != nil && s.hasClasses.Load() && e.owned.Load() {
		return s.classes.capOf(e.device)
	}
	return s.classes.cap
}

// setCap sets e's cap. It must be called with classes.mu and the mu of e's fair queue held.
func (s *Scheduler) setCap(e *engine) { e.fairQueue.queue.SetCap(s.capOf(e)) }

// updateCaps sets the caps of all rings, after a class was added or changed.
func (s *Scheduler) updateCaps() {
	if s.classes.capOf == nil {
		return
	}
	s.classes.mu.Lock()
	granted := s.changeQueues(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}

// updateCap sets the cap of e, which has become the ring of a device.
func (s *Scheduler) updateCap(e *engine) {
	if s.classes.capOf == nil || !s.hasClasses.Load() {
		return
	}
	s.classes.mu.Lock()
	granted := e.changeQueue(s.setCap)
	s.classes.mu.Unlock()
	granted.start()
}
