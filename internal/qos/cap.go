package qos

import "github.com/sluiceio/sluice/internal/fair"

// DefaultCap is the cap for a device that was not measured. It keeps most devices busy, with little
// to spare. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}

// SetCapFinder sets find, which returns the cap of a device, by its number. Without it all devices
// have the default. find is called once there are classes and the device's queue, and whenever a
// class is added or changed. It may wait: no lock is held during the call, and the old cap still
// holds. SetCapFinder must be called before the first operation.
func (c *Classes) SetCapFinder(find func(device uint64) fair.Cap) { c.capOf = find }

// FindCap sets the cap of q to the device's, if there are classes. It may wait; see SetCapFinder.
func (c *Classes) FindCap(q *Queue) {
	if c.capOf == nil || !c.Active() {
		return
	}
	found := c.capOf(q.device)
	q.mu.Lock()
	q.fair.SetCap(found)
	q.grantAndUnlock()
}

// updateCaps sets the caps of all devices, after a class was added or changed.
func (c *Classes) updateCaps() {
	for _, q := range c.list() {
		c.FindCap(q)
	}
}
