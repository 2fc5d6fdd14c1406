package sched

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// MaxRings is the most rings that a Scheduler can have.
const MaxRings = 16

// rings is the engines of a Scheduler, each with a driver of its own. A device that can take
// no more requests makes the submitter wait in the kernel, with all operations that it has
// handed to the ring. So each of the first devices for which something is queued has a ring
// of its own, which is started then. Further devices share these rings:
// docs/decisions/0024-rings.md.
type rings struct {
	// open opens the driver of another ring. If it is nil, all devices share one ring.
	// most is the most rings. Both are written before the first operation.
	open func(*record.Hook) (driver.Driver, error)
	most int
	// device returns the device that a descriptor's file is on. It is a field so that a
	// test can replace it.
	device func(fd int) (uint64, bool)

	mu     sync.Mutex
	shared int  // how often a file got the ring of another device; chooses the next one. Under mu
	full   bool // no more rings are started, since one could not be opened. Under mu
	// all is the rings, the first one included. The slice is replaced, under mu, by the
	// goroutine that starts a ring; the slice itself is never changed.
	all atomic.Pointer[[]*engine]
}

// SetRings gives up to most devices, at most MaxRings, a ring of their own. open opens the
// driver of one ring; the Hook is the one that records it. SetRings must be called before the
// first operation.
func (s *Scheduler) SetRings(most int, open func(*record.Hook) (driver.Driver, error)) {
	if most > 1 {
		s.rings.most, s.rings.open = min(most, MaxRings), open
	}
}

func (s *Scheduler) initRings(first *engine) {
	s.rings.most = 1
	s.rings.device = sys.Device
	s.classes.AddQueue()
	s.rings.all.Store(&[]*engine{first})
}

// engineOf returns the engine in which f's operations are queued.
func (s *Scheduler) engineOf(f *File) *engine {
	if s.rings.open == nil {
		return s.engine
	}
	if e := f.engine.Load(); e != nil {
		return e
	}
	// If two goroutines come here at once, the first one decides. f's engine must never
	// change: cancel looks for an operation in the engine where it was queued.
	f.engine.CompareAndSwap(nil, s.engineAt(s.deviceOf(f)))
	return f.engine.Load()
}

// deviceOf returns the device that f is on, or limiter.NoDevice if f is nil. It asks the system once
// for each file.
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
	if device, ok := s.rings.device(fd); ok && device != 0 {
		return device
	}
	return limiter.NoDevice
}

// engineAt returns the engine of a device.
func (s *Scheduler) engineAt(device uint64) *engine {
	if s.rings.open == nil || device == limiter.NoDevice {
		return s.engine
	}
	for _, e := range *s.rings.all.Load() {
		if e.serves(device) {
			return e
		}
	}
	return s.ringFor(device)
}

// serves reports whether e is the ring of that device.
func (e *engine) serves(device uint64) bool { return e.owned.Load() && e.device == device }

// ringFor returns the ring of a device that had none before.
func (s *Scheduler) ringFor(device uint64) *engine {
	e, claimed := s.claimRing(device)
	if claimed {
		s.classes.SetDevice(e.number, device) // without rings.mu: it may begin operations, which look for rings
	}
	return e
}

// claimRing is ringFor without setting the cap. claimed is true if the device has just become
// the owner of the first ring, which is started before any device is known.
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
	if len(all) < r.most && !r.full && !s.lost.ring.Load() {
		if e := s.startRing(device); e != nil {
			return e, false
		}
		r.full = true
	}
	r.shared++
	return all[r.shared%len(all)], false
}

// startRing starts a ring for a device. It returns nil if that fails. It must be called with
// rings.mu held.
func (s *Scheduler) startRing(device uint64) *engine {
	hook := s.hook.Another()
	drv, err := s.rings.open(hook)
	if err != nil {
		return nil
	}
	e := newEngine(drv)
	e.hook, e.device, e.closing, e.onLoss = hook, device, &s.closing, s.ringLost
	e.owned.Store(true)
	all := *s.rings.all.Load()
	e.number = len(all)
	e.slabs = &slabs{}
	s.classes.AddQueue()
	s.classes.SetDevice(e.number, device)
	all = append(all[:len(all):len(all)], e)
	s.rings.all.Store(&all)
	s.limiter.AddQuotas(len(all))
	return e
}

// hasReaper reports whether any ring has a leader.
func (r *rings) hasReaper() bool {
	for _, e := range *r.all.Load() {
		if e.hasReaper() {
			return true
		}
	}
	return false
}

// Rings returns the number of rings and the most that there may be.
func (s *Scheduler) Rings() (n, most int) { return len(*s.rings.all.Load()), s.rings.most }
