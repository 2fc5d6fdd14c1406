package sched

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
)

// initRings starts the first ring. Each ring has a queue for the tickets of its operations.
// There is a quota of permits for each.
func (s *Scheduler) initRings() {
	s.rings.OnStart = func(e *ioengine.Engine) {
		s.classes.AddQueue()
		s.limiter.AddQuotas(e.Number() + 1)
	}
	s.rings.OnDevice = func(e *ioengine.Engine, device uint64) { s.classes.SetDevice(e.Number(), device) }
	s.rings.OnLoss = s.ringLost
	s.rings.Init(s.drv)
	s.hook, _ = s.rings.First().Hook()
}

// SetRings gives up to most devices, at most ioengine.MaxRings, a ring of their own. open opens
// the driver of one ring; the Hook is the one that records it. SetRings must be called before
// the first operation.
func (s *Scheduler) SetRings(most int, open func(*record.Hook) (driver.Driver, error)) {
	s.rings.SetMost(most, open)
}

// MaxRings is the most rings that a Scheduler can have.
const MaxRings = ioengine.MaxRings

// Rings returns the number of rings and the most that there may be.
func (s *Scheduler) Rings() (n, most int) { return len(s.rings.All()), s.rings.Most() }

// engineOf returns the engine in which f's operations are queued.
func (s *Scheduler) engineOf(f *File) *ioengine.Engine {
	if !s.rings.Several() {
		return s.rings.First()
	}
	if e := f.engine.Load(); e != nil {
		return e
	}
	// If two goroutines come here at once, the first one decides. f's engine must never
	// change: a cancel looks for an operation in the engine where it was queued.
	f.engine.CompareAndSwap(nil, s.engineAt(s.deviceOf(f)))
	return f.engine.Load()
}

// engineAt returns the engine of a device.
func (s *Scheduler) engineAt(device uint64) *ioengine.Engine {
	if !s.rings.Several() || device == limiter.NoDevice {
		return s.rings.First()
	}
	return s.rings.Of(device)
}

// deviceOf returns the device that f is on, or limiter.NoDevice if f is nil. It asks the
// system once for each file.
func (s *Scheduler) deviceOf(f *File) uint64 {
	if f == nil {
		return limiter.NoDevice
	}
	device := f.device.Load()
	if device == 0 {
		device = s.deviceOfFD(f.fd)
		f.device.Store(device)
	}
	return device
}

// deviceOfFD returns the device that a descriptor's file is on.
func (s *Scheduler) deviceOfFD(fd int) uint64 {
	if device, ok := s.device(fd); ok && device != 0 {
		return device
	}
	return limiter.NoDevice
}

// Register makes memory known to the driver; see ioengine.Rings.Register.
func (s *Scheduler) Register(mem []byte) (index int, err error) { return s.rings.Register(mem) }

// Unregister forgets memory that Register has made known. No operation that names it may be in
// flight.
func (s *Scheduler) Unregister(index int) { s.rings.Unregister(index) }

// Losses returns the drivers that were lost, in the order in which that happened.
func (s *Scheduler) Losses() []ioengine.Loss { return s.lost.All() }

// ringLost records that the driver of a ring was lost. From then on async reports that the
// drivers can do nothing. More threads may wait, because all operations need one.
func (s *Scheduler) ringLost(e *ioengine.Engine, err error, first bool) {
	s.lost.Add(e.Driver(), err)
	if first {
		s.limiter.Widen(s.limits.Fallback)
	}
}
