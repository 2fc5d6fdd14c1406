package iopath

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
)

// initRings starts the first ring. Each ring has a queue for the tickets of its operations.
// There is a quota of permits for each.
func (s *Paths) initRings(drv driver.Driver) {
	s.Engines.OnStart = func(e *ioengine.Engine) {
		s.Classes.AddQueue()
		s.Limiter.AddQuotas(e.Number() + 1)
	}
	s.Engines.OnDevice = func(e *ioengine.Engine, device uint64) { s.Classes.SetDevice(e.Number(), device) }
	s.Engines.OnLoss = s.ringLost
	s.Engines.Init(drv)
	s.Recording, _ = s.Engines.First().Hook()
}

// SetRings gives up to most devices, at most ioengine.MaxRings, a ring of their own. open opens
// the driver of one ring; the Hook is the one that records it. SetRings must be called before
// the first operation.
func (s *Paths) SetRings(most int, open func(*record.Hook) (driver.Driver, error)) {
	s.Engines.SetMost(most, open)
}

// Rings returns the number of rings and the most that there may be.
func (s *Paths) Rings() (n, most int) { return len(s.Engines.All()), s.Engines.Most() }

// EngineOf returns the engine in which f's operations are queued.
func (s *Paths) EngineOf(f *File) *ioengine.Engine {
	if !s.Engines.Several() {
		return s.Engines.First()
	}
	if e := f.engine.Load(); e != nil {
		return e
	}
	// If two goroutines come here at once, the first one decides. f's engine must never
	// change: a cancel looks for an operation in the engine where it was queued.
	f.engine.CompareAndSwap(nil, s.EngineAt(s.DeviceOf(f)))
	return f.engine.Load()
}

// EngineAt returns the engine of a device.
func (s *Paths) EngineAt(device uint64) *ioengine.Engine {
	if !s.Engines.Several() || device == limiter.NoDevice {
		return s.Engines.First()
	}
	return s.Engines.Of(device)
}

// DeviceOf returns the device that f is on, or limiter.NoDevice if f is nil. It asks the
// system once for each file.
func (s *Paths) DeviceOf(f *File) uint64 {
	if f == nil {
		return limiter.NoDevice
	}
	device := f.device.Load()
	if device == 0 {
		device = s.DeviceOfFD(f.FD)
		f.device.Store(device)
	}
	return device
}

// DeviceOfFD returns the device that a descriptor's file is on.
func (s *Paths) DeviceOfFD(fd int) uint64 {
	if device, ok := s.Device(fd); ok && device != 0 {
		return device
	}
	return limiter.NoDevice
}

// Register makes memory known to the driver; see ioengine.Rings.Register.
func (s *Paths) Register(mem []byte) (index int, err error) { return s.Engines.Register(mem) }

// Unregister forgets memory that Register has made known. No operation that names it may be in
// flight.
func (s *Paths) Unregister(index int) { s.Engines.Unregister(index) }

// Losses returns the drivers that were lost, in the order in which that happened.
func (s *Paths) Losses() []ioengine.Loss { return s.Lost.All() }

// ringLost records that the driver of a ring was lost. From then on async reports that the
// drivers can do nothing. More threads may wait, because all operations need one.
func (s *Paths) ringLost(e *ioengine.Engine, err error, first bool) {
	s.Lost.Add(e.Driver(), err)
	if first {
		s.Limiter.Widen(s.Bounds.Fallback)
	}
}

// Async reports whether the driver can perform code on f without a thread.
func (s *Paths) Async(code driver.Code, f *File) bool {
	// An append extends the file. The kernel locks the inode for it and waits, in io_submit or
	// in one of io_uring's threads.
	if f.appends && code == driver.Write {
		return false
	}
	if s.Engines.Lost() {
		return false
	}
	if f.Flags&driver.Direct != 0 {
		return s.AsyncDirect[code] && !f.needsThread.Load()
	}
	// Where a read cannot be tried without waiting, io_uring would take a thread for it too.
	return s.AsyncBuffered[code] && f.CanLook.Load()
}

// asyncCodes asks the driver once for each operation whether it needs no thread.
func asyncCodes(drv driver.Driver, flags driver.Flags) (async [driver.NumCodes]bool) {
	for code := range async {
		async[code] = drv.Async(&driver.Op{Code: driver.Code(code), Flags: flags})
	}
	return async
}

// ClassOf returns the class of an operation on f: the file's, if f is a view with a
// class, else the context's. It is the default class if there is neither, or if that class
// was removed.
func (s *Paths) ClassOf(ctx context.Context, f *File) *qos.Class {
	if f.class != nil {
		return s.Classes.Or(f.class)
	}
	return s.Classes.Or(s.Classes.In(ctx))
}

// QueueOf returns the queue for the tickets of operations on f.
func (s *Paths) QueueOf(f *File) *qos.Queue { return s.Classes.Queue(s.EngineOf(f).Number()) }
