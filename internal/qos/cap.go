package qos

import "github.com/sluiceio/sluice/internal/fair"

// DefaultCap is the cap for a device that was not measured. It keeps most devices busy,
// and is not much more. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}

// SetCapFinder has find return the cap of a device's ring, by the device's number. It is
// called once there are classes and the ring, and whenever a class is added or changed. It is
// called with locks held, for which all operations with tickets wait meanwhile, and so it must
// not wait for long. SetCapFinder must be called before the first operation.
func (c *Classes) SetCapFinder(find func(device uint64) fair.Cap) { c.capOf = find }

// SetCap bounds what each ring has in flight while operations take tickets, except for
// rings whose cap comes from SetCapFinder.
func (c *Classes) SetCap(most fair.Cap) {
	c.mu.Lock()
	c.cap = most
	granted := c.changeQueues(c.setCapOf)
	c.mu.Unlock()
	granted.start()
}

// Cap returns the bound that SetCap sets.
func (c *Classes) Cap() fair.Cap {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cap
}

// SetDevice notes that a ring belongs to a device from now on.
func (c *Classes) SetDevice(ring int, device uint64) {
	c.mu.Lock()
	q := c.queues[ring]
	q.device, q.hasDevice = device, true
	var granted ticketList
	if c.capOf != nil && c.Active() {
		granted = q.changeLocked(c.setCapOf)
	}
	c.mu.Unlock()
	granted.start()
}

// setCapOf sets q's cap. It must be called with Classes.mu and q.mu held.
func (c *Classes) setCapOf(q *Queue) {
	limit := c.cap
	if c.capOf != nil && c.Active() && q.hasDevice {
		limit = c.capOf(q.device)
	}
	q.fair.SetCap(limit)
}

// updateCaps sets the caps of all rings, after a class was added or changed.
func (c *Classes) updateCaps() {
	if c.capOf == nil {
		return
	}
	c.mu.Lock()
	granted := c.changeQueues(c.setCapOf)
	c.mu.Unlock()
	granted.start()
}
