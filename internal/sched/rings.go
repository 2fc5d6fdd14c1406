package sched

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// RingsMost is the most rings that a Scheduler can have.
const RingsMost = 16

// rings is a Scheduler's engines, each with a driver of its own. A device that
// cannot take more makes who submits to it wait, in the kernel, with all that the
// ring is handed meanwhile; so the first devices that something is queued for have
// a ring each, which is started then. Those after them share the rings that there
// are: docs/decisions/0024-rings.md.
type rings struct {
	// open opens the driver of another ring; nil: there is one ring for all.
	// Written before the first operation, as is most, the most rings.
	open func(*record.Hook) (driver.Driver, error)
	most int
	// device tells which device a descriptor's file is on: a field so that a test
	// can play it.
	device func(fd int) (uint64, bool)

	mu     sync.Mutex
	shared int  // how often a device was given one of another's. Under mu
	full   bool // no more are started. Under mu
	// all is the rings that there are, the first one always. Written under mu, a
	// new slice each time, by who starts one.
	all atomic.Pointer[[]*engine]
}

// RingsThrough has up to most devices, at most RingsMost, served by a ring of its
// own each: open opens the driver of one, which is recorded by that Hook. Called
// before the first operation.
func (s *Scheduler) RingsThrough(most int, open func(*record.Hook) (driver.Driver, error)) {
	if most > 1 {
		s.rings.most, s.rings.open = min(most, RingsMost), open
	}
}

func (s *Scheduler) initRings(first *engine) {
	s.rings.most = 1
	s.rings.device = sys.Device
	s.addTurnstile(first)
	s.rings.all.Store(&[]*engine{first})
}

// engineOf returns the engine that f's operations are queued in.
func (s *Scheduler) engineOf(f *File) *engine {
	if s.rings.open == nil {
		return s.engine
	}
	if e := f.engine.Load(); e != nil {
		return e
	}
	// If two come here at once the first one decides: a request that is asked to
	// end early is looked for where it was queued.
	f.engine.CompareAndSwap(nil, s.engineAt(s.deviceOf(f)))
	return f.engine.Load()
}

// deviceOf returns the device that f is on, or noDevice, which nil is on. It asks
// once for each file.
func (s *Scheduler) deviceOf(f *File) uint64 {
	if f == nil {
		return noDevice
	}
	device := f.device.Load()
	if device == 0 {
		device = s.deviceOfFD(f.fd)
		f.device.Store(device)
	}
	return device
}

// deviceOfFD is deviceOf of a descriptor.
func (s *Scheduler) deviceOfFD(fd int) uint64 {
	if device, ok := s.rings.device(fd); ok && device != 0 {
		return device
	}
	return noDevice
}

// engineAt returns the engine of a device.
func (s *Scheduler) engineAt(device uint64) *engine {
	if s.rings.open == nil || device == noDevice {
		return s.engine
	}
	for _, e := range *s.rings.all.Load() {
		if e.serves(device) {
			return e
		}
	}
	return s.ringFor(device)
}

// serves tells whether e is the ring of that device.
func (e *engine) serves(device uint64) bool { return e.owned.Load() && e.device == device }

// ringFor finds a ring for a device that had none.
func (s *Scheduler) ringFor(device uint64) *engine {
	e, claimed := s.claimRing(device)
	if claimed {
		s.recap(e) // without rings.mu: it may begin operations, which ask for rings
	}
	return e
}

// claimRing is ringFor, and tells whether the ring was there and is the device's
// from now on.
func (s *Scheduler) claimRing(device uint64) (e *engine, claimed bool) {
	r := &s.rings
	r.mu.Lock()
	defer r.mu.Unlock()
	all := *r.all.Load()
	for _, e := range all {
		if !e.owned.Load() {
			e.device = device
			e.owned.Store(true)
			return e, true
		}
		if e.serves(device) {
			return e, false
		}
	}
	if len(all) < r.most && !r.full {
		if e := s.startRing(device); e != nil {
			return e, false
		}
		r.full = true
	}
	r.shared++
	return all[r.shared%len(all)], false
}

// startRing starts a ring for a device; nil if there can be none. Under rings.mu.
func (s *Scheduler) startRing(device uint64) *engine {
	hook := s.hook.Another()
	drv, err := s.rings.open(hook)
	if err != nil {
		return nil
	}
	e := newEngine(drv)
	e.hook, e.device, e.closing = hook, device, &s.closing
	e.owned.Store(true)
	all := *s.rings.all.Load()
	e.number = len(all)
	e.slabs = &slabs{}
	s.classes.mu.Lock() // until it is one of all, which have all classes
	defer s.classes.mu.Unlock()
	s.addTurnstile(e)
	all = append(all[:len(all):len(all)], e)
	s.rings.all.Store(&all)
	s.gate.part(len(all))
	return e
}

// led tells whether there is a leader in any ring.
func (r *rings) led() bool {
	for _, e := range *r.all.Load() {
		if e.led() {
			return true
		}
	}
	return false
}

// Rings tells how many rings there are, and the most that there may be.
func (s *Scheduler) Rings() (n, most int) { return len(*s.rings.all.Load()), s.rings.most }
