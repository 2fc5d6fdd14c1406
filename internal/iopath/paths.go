package iopath

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Options says which operations are plain calls, how many threads wait in system calls, and what
// takes the place of the system.
type Options struct {
	// Govern has governors choose which operations are plain calls, among the operations that the
	// driver could queue. Otherwise an operation is a plain call if fewer than Plain operations of
	// its device are in flight.
	Govern bool
	Plain  int
	// Threads is the most threads that may wait in system calls for all devices together. With 0,
	// each device has its bound (package budget), and there is no bound for all together.
	Threads int
	// KeepDevices has no device be forgotten.
	KeepDevices bool
	// Wrap, if not nil, is given the function that makes the plain system calls, and returns the
	// one to use. A call with several buffers is then a call of the first one. Looks into the page
	// cache are not wrapped.
	Wrap func(Caller) Caller
	// Look, if not nil, is asked where the system cannot say without waiting whether the page cache
	// has the bytes, as on tmpfs. ok is false if it does not know the file.
	Look func(fd int, b []byte, off int64) (res int32, ok bool)
	// Device returns the device that a descriptor's file is on. If it is nil, sys.Device does.
	Device func(fd int) (uint64, bool)
}

// Paths is the three ways to perform one transfer, and what they need. Fields that are functions,
// numbers or flags are written before the first operation. All other fields change by their own
// methods.
type Paths struct {
	Options
	ready   sync.Once   // see Ready
	start   func()      // Ready calls it once
	isReady atomic.Bool // Ready has called it
	Engines ioengine.Rings
	Devices device.Table
	// realDevices: the devices are the system's, and not a simulation's.
	realDevices bool
	Classes     qos.Classes
	Lost        ioengine.LostDrivers
	// Requests has the requests of all Engines.
	Requests ioengine.Requests
	// AsyncDirect and AsyncBuffered report which operations the driver performs without a thread,
	// on files with and without O_DIRECT. Both may be read after Ready.
	AsyncDirect, AsyncBuffered [driver.NumCodes]bool
	// kernelWorkers: the driver has direct writes that must wait performed by threads of the
	// kernel.
	kernelWorkers bool
	// completesAlone: completions need no thread of the process, as with Linux AIO.
	completesAlone bool
	Counters       counters.Counters
	Recording      *record.Hook // records operations, while a recorder is set
	// FindsEnd is true if sys.ReadCached can be relied upon to report the end of a file.
	FindsEnd bool
	// Call makes the plain system calls. Clock is the monotonic clock. They are fields so that a
	// test can replace them.
	Call  Caller
	Clock func() time.Duration
}

// Init sets p up. choose is called once, when the driver is first needed (see Ready). p owns the
// driver that choose returns, and the first ring uses it. choose may call SetRings, and may set
// fields that must be set before the first operation that needs the driver.
func (p *Paths) Init(choose func() driver.Driver, o Options) {
	p.start = func() {
		p.use(choose())
		p.isReady.Store(true)
	}
	p.Options = o
	p.Recording = new(record.Hook)
	p.Call, p.Clock = MakeCall, clock()
	if o.Wrap != nil {
		p.Call = o.Wrap(p.Call)
	}
	if o.Device == nil {
		p.Device, p.realDevices = sys.Device, true
	}
	p.FindsEnd = sys.CachedKnowsEnd()
	p.Devices.Init(o.Threads, o.KeepDevices)
	p.Classes.Init(func() time.Duration { return p.Clock() })
}

// Ready has the driver chosen and the first ring started, unless that is done. To open a ring takes
// a tenth of a small program's time, so only callers that need to know the driver call Ready. A
// read that the page cache answers does not call it, nor does a plain call that is made whatever
// the driver is. After EndChoice there may be no driver and no ring.
func (p *Paths) Ready() { p.ready.Do(p.start) }

// IsReady reports whether Ready has chosen a driver.
func (p *Paths) IsReady() bool { return p.isReady.Load() }

// EndChoice keeps Ready from choosing a driver from now on. If a choice is in progress, EndChoice
// waits for it. So the rings that the caller then closes are all that there will be.
func (p *Paths) EndChoice() { p.ready.Do(func() {}) }

// use starts the first ring, on drv.
func (p *Paths) use(drv driver.Driver) {
	p.AsyncDirect = asyncCodes(drv, driver.Direct|driver.NoWait)
	p.AsyncBuffered = asyncCodes(drv, 0)
	p.kernelWorkers = drv.Info().Workers > 0
	p.completesAlone = drv.Info().Name == "aio"
	p.initRings(drv)
}

// clock returns a clock that starts now. Not the clock of records: in a testing/synctest bubble
// that stands still.
func clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
