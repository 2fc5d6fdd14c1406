package sluice

import (
	"fmt"

	"github.com/sluiceio/sluice/internal/chains"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/record"
)

// rejectedDriver is a driver that could not be had, and why.
type rejectedDriver struct {
	name string
	err  error
}

// choose returns the driver that o names, or the first that the system has. It
// reports those that were tried in vain. What the driver keeps open is opened when
// it is first used.
func choose(o Options, hook *record.Hook) (driver.Driver, []rejectedDriver, error) {
	if o.Driver != "" {
		drv, err := openLate(o.Driver, o, hook)
		if err != nil {
			return nil, nil, fmt.Errorf("sluice: driver %s: %w", o.Driver, err)
		}
		return drv, nil, nil
	}
	var refused []rejectedDriver
	for _, name := range driverNames {
		drv, err := openLate(name, o, hook)
		if err == nil {
			return drv, refused, nil
		}
		refused = append(refused, rejectedDriver{name, err})
	}
	// Not reached: the pool needs nothing of the system.
	last := refused[len(refused)-1]
	return nil, refused, fmt.Errorf("sluice: driver %s: %w", last.name, last.err)
}

// asDriver keeps a nil pointer from becoming a Driver that is not nil.
func asDriver[D driver.Driver](d D, err error) (driver.Driver, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// openLate is open of a driver that may never be used. AIO's context is no
// descriptor, and its eventfd is opened late in any case.
func openLate(name string, o Options, hook *record.Hook) (driver.Driver, error) {
	if name == "uring" {
		return asDriver(uring.New(uring.Options{Depth: o.depth(), Lazy: true, Record: hook}))
	}
	return open(name, o, hook)
}

func open(name string, o Options, hook *record.Hook) (driver.Driver, error) {
	switch name {
	case "uring":
		return asDriver(uring.New(uring.Options{Depth: o.depth(), Record: hook}))
	case "aio":
		return asDriver(aio.New(aio.Options{Depth: o.depth(), Threads: o.blockingThreads(name), Record: hook}))
	default:
		return asDriver(pool.New(pool.Options{Depth: o.depth(), Threads: o.blockingThreads(name), Record: hook}))
	}
}

// opener returns the function that opens one more driver of that name, without a recorder;
// nil for the pool, whose reads take threads.
func opener(name string) func(depth int) driver.Driver {
	if name == "pool" {
		return nil
	}
	return func(depth int) driver.Driver {
		drv, err := open(name, Options{Depth: depth}, new(record.Hook))
		if err != nil {
			return nil
		}
		return drv
	}
}

// forChains returns the driver for chains, a ring with files of its own. It is nil if the
// kernel has none.
func forChains(hook *record.Hook) driver.Linker {
	r, err := uring.New(uring.Options{Depth: kernelChains * chains.MaxOps, Files: kernelChains, Workers: kernelWorkers, Record: hook})
	if err != nil {
		return nil
	}
	return r
}

// forSyncs returns the driver for the fsyncs of a Scheduler that has drv: one
// that needs no thread of this process for them. It is nil if there is none.
// io_uring is none: it makes fsyncs in worker threads, which are the process's.
// Linux AIO makes them in the kernel's own (4.18).
func forSyncs(drv driver.Driver, hook *record.Hook) driver.Driver {
	fsync := &driver.Op{Code: driver.Fsync}
	if drv.Async(fsync) {
		return drv
	}
	q, err := aio.New(aio.Options{Depth: syncDepth, Threads: 1, Record: hook})
	if err != nil {
		return nil
	}
	if !q.Async(fsync) {
		q.Close()
		return nil
	}
	return q
}
