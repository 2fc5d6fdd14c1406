package sched

import (
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/record"
)

// Ready has the driver chosen, unless that is done. See iopath.Paths.Ready.
func (s *Scheduler) Ready() { s.paths.Ready() }

// Driver describes the driver. It is the zero Info if there is none.
func (s *Scheduler) Driver() driver.Info {
	s.Ready()
	if e := s.paths.Engines.First(); e != nil {
		return e.Driver().Info()
	}
	return driver.Info{}
}

// SetRings lets up to most devices each have a ring; see ioengine.Rings.SetMost.
func (s *Scheduler) SetRings(most int, open func(*record.Hook) (driver.Driver, error)) {
	s.paths.Engines.SetMost(most, open)
}

// Rings returns, after Ready, the number of rings, and how many devices may have their own.
func (s *Scheduler) Rings() (n, most int) { return len(s.paths.Engines.All()), s.paths.Engines.Most() }

// RingsPerDevice returns the most rings that one device may have now. It may be called after Ready.
func (s *Scheduler) RingsPerDevice() int { return s.paths.RingsPerDevice() }

// RingError returns why another ring could not be opened when that was last tried, or nil.
func (s *Scheduler) RingError() error { return s.paths.Engines.OpenError() }

// Register makes memory known to the driver; see ioengine.Rings.Register.
func (s *Scheduler) Register(mem []byte) (index int, err error) {
	s.Ready()
	return s.paths.Engines.Register(mem)
}

// Unregister forgets memory of Register. No operation that names it may be in flight.
func (s *Scheduler) Unregister(index int) { s.paths.Engines.Unregister(index) }

// LostDrivers returns the drivers that were lost, in the order in which that happened.
func (s *Scheduler) LostDrivers() []ioengine.Loss { return s.paths.Engines.Losses.All() }

// DeviceOf returns the device that f is on, or the one that stands for none if f is nil.
func (s *Scheduler) DeviceOf(f *File) *device.Device { return s.paths.DeviceOf(f) }

// Devices returns the devices that somebody has, by number.
func (s *Scheduler) Devices() []*device.Device { return s.paths.Devices.All() }

// Permits returns how many threads wait for a device, and how many goroutines wait for their turn.
func (s *Scheduler) Permits() (threads, waiting int) { return s.paths.Devices.InUse() }

// Widen lets more threads wait for each device: more operations need one than with io_uring.
func (s *Scheduler) Widen() { s.paths.Devices.Budgets().Widen() }
