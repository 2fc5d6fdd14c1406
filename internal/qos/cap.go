package qos

import "github.com/sluiceio/sluice/internal/fair"

// DefaultCap is the cap for a device that was not measured. It keeps most devices busy,
// and is not much more. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}

// SetCapFinder has find return the cap of a device's ring, by the device's number. It is
// called once there are classes and the ring, and whenever the classes change. It is
// called with locks held and must not wait. SetCapFinder must be called before the first
// operation.
func (s *Classes) SetCapFinder(find func(device uint64) fair.Cap) { s.capOf = find }

// SetCap bounds what each ring has in flight while operations take tickets, except for
// rings whose cap comes from SetCapFinder.
func (s *Classes) SetCap(c fair.Cap) {
	s.mu.Lock()
	s.cap = c
	granted := s.changeQueues(s.setCapOf)
	s.mu.Unlock()
	granted.start()
}

// Cap returns the bound that SetCap sets.
func (s *Classes) Cap() fair.Cap {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cap
}

// SetDevice notes that a ring belongs to a device from now on.
func (s *Classes) SetDevice(ring int, device uint64) {
	s.mu.Lock()
	q := s.queues[ring]
	q.device, q.hasDevice = device, true
	var granted ticketList
	if s.capOf != nil && s.Active() {
		granted = q.changeLocked(s.setCapOf)
	}
	s.mu.Unlock()
	granted.start()
}

// setCapOf sets q's cap. It must be called with Classes.mu and q.mu held.
func (s *Classes) setCapOf(q *Queue) {
	limit := s.cap
	if s.capOf != nil && s.Active() && q.hasDevice {
		limit = s.capOf(q.device)
	}
	q.fair.SetCap(limit)
}

// updateCaps sets the caps of all rings, after a class was added or changed.
func (s *Classes) updateCaps() {
	if s.capOf == nil {
		return
	}
	s.mu.Lock()
	granted := s.changeQueues(s.setCapOf)
	s.mu.Unlock()
	granted.start()
}
