package sluice

import (
	"fmt"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/record"
)

// rejectedDriver is a driver that the system does not have, and why.
type rejectedDriver struct {
	name string
	err  error
}

// choose returns the simulated disk's driver, or else the first driver that the system has, and
// notes the rejected ones in rejectedDrivers. sched.Scheduler.Ready calls it once; afterwards
// rejectedDrivers is only read. A driver opens its descriptors when an operation first needs them.
func (s *Scheduler) choose(hook *record.Hook) driver.Driver {
	if s.parts.Disk != nil {
		return s.parts.Disk.NewDriver(s.options.depth())
	}
	for _, name := range driverNames {
		drv, err := openLate(name, s.options, hook)
		if err == nil {
			return s.parts.InFront(drv)
		}
		s.rejectedDrivers = append(s.rejectedDrivers, rejectedDriver{name, err})
	}
	panic(fmt.Sprintf("sluice: the pool needs nothing of the system, but: %v", s.rejectedDrivers))
}

// asDriver keeps a nil pointer from becoming a Driver that is not nil.
func asDriver[D driver.Driver](d D, err error) (driver.Driver, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// openLate is open, but a ring is set up only when an operation needs it. Linux AIO needs no such
// option: its context has no descriptor, and its eventfd is opened late in any case.
func openLate(name string, o Options, hook *record.Hook) (driver.Driver, error) {
	if name == DriverUring {
		return asDriver(uring.New(uring.Options{Depth: o.depth(), Lazy: true, Record: hook}))
	}
	return open(name, o, hook)
}

func open(name string, o Options, hook *record.Hook) (driver.Driver, error) {
	switch name {
	case DriverUring:
		return asDriver(uring.New(uring.Options{Depth: o.depth(), Record: hook}))
	case DriverAIO:
		return asDriver(aio.New(aio.Options{Depth: o.depth(), Threads: o.Threads, Record: hook}))
	default:
		return asDriver(pool.New(pool.Options{Depth: o.depth(), Threads: o.Threads, Record: hook}))
	}
}

// openAnother opens one more driver of s's kind, without a recorder. It returns nil if that fails,
// and for the pool, whose operations hold threads anyway.
func (s *Scheduler) openAnother(depth int) driver.Driver {
	name := s.kind()
	if name != DriverUring && name != DriverAIO {
		return nil
	}
	drv, err := open(name, Options{Depth: depth}, new(record.Hook))
	if err != nil {
		return nil
	}
	return s.parts.InFront(drv)
}

// forSyncs returns a driver whose fsyncs hold no thread of this process: Linux AIO, which has
// kernel threads for them (since 4.18). It returns nil if the system has none. A ring does not
// qualify: its fsyncs run in worker threads, which belong to the process.
func (s *Scheduler) forSyncs(hook *record.Hook) driver.Driver {
	q, err := aio.New(aio.Options{Depth: syncDepth, Threads: 1, Record: hook})
	if err != nil {
		return nil
	}
	if !q.Async(&driver.Op{Code: driver.Fsync}) {
		q.Close()
		return nil
	}
	return s.parts.InFront(q)
}
