package iopath

import (
	"cmp"
	"sync"
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
// replaces the system.
type Options struct {
	// Govern lets governors choose which of the operations that the driver could queue are plain
	// calls. Without it, an operation is a plain call if fewer than Plain operations of its device
	// are in flight.
	Govern bool
	// CheckWaits lets governors check whether plain calls wait. A simulated device's calls tell
	// nothing.
	CheckWaits bool
	Plain      int
	// Threads is the most threads that wait, for all devices together. 0 is no such bound.
	Threads int
	// Wrap, if not nil, replaces the function that makes the plain system calls, and gets the
	// original. It sees only the first of several buffers. Looks are not wrapped.
	Wrap func(Caller) Caller
	// Look, if not nil, replaces the system's look into the page cache on file systems that have
	// no reads that cannot wait, as tmpfs. ok is false if it does not know the file.
	Look func(fd int, b []byte, off int64) (res int32, ok bool)
	// Device returns the device of a descriptor's file. nil means sys.Device. A simulation's
	// devices are kept when nobody uses them.
	Device func(fd int) (uint64, bool)
	// Recording records operations, and the driver's system calls, while a recorder is set. Each
	// operation that Stats counts, and each shared Sync, becomes one record. nil means a new one.
	Recording *record.Hook
}

// Paths has the three ways to perform one transfer, and their state. Fields that are functions,
// numbers or flags are written before the first operation. All others change by their methods.
type Paths struct {
	Options
	choose  func() driver.Driver // returns the driver; see Ready
	ready   sync.Once
	Engines ioengine.Rings
	Devices device.Table
	// realDevices is set if the devices are the system's, and not a simulation's.
	realDevices bool
	Classes     qos.Classes
	// Requests has the requests of all Engines.
	Requests ioengine.Requests
	// AsyncDirect and AsyncBuffered report which operations the driver performs without a thread,
	// on files with and without O_DIRECT. Driver describes it, if there is one. All three may be
	// read after Ready.
	AsyncDirect, AsyncBuffered [driver.NumCodes]bool
	Driver                     driver.Info
	Counters                   counters.Counters
	// true if sys.ReadCached reliably reports the end of a file
	FindsEnd bool
	// Call makes the plain system calls. Clock is the monotonic clock. ThreadWaits is
	// sys.ThreadWaits. Tests can replace them.
	Call        Caller
	Clock       func() time.Duration
	ThreadWaits func() (n int64, known bool)
}

// Init sets p up. It calls choose once, when the driver is first needed (see Ready). p owns the
// driver that choose returns, and the first ring uses it. choose may call Engines.SetMost, and may
// set fields that must be set before the first operation that needs the driver.
func (p *Paths) Init(choose func() driver.Driver, o Options) {
	p.choose, p.Options = choose, o
	p.Recording = cmp.Or(p.Recording, new(record.Hook))
	start := time.Now() // the clock of records would stand still in a testing/synctest bubble
	p.Clock = func() time.Duration { return time.Since(start) }
	p.Call, p.ThreadWaits = MakeCall, sys.ThreadWaits
	if o.Wrap != nil {
		p.Call = o.Wrap(p.Call)
	}
	if o.Device == nil {
		p.Device, p.realDevices = sys.Device, true
	}
	p.Engines.Now = func() time.Duration { return p.Clock() }
	p.Engines.Processors.Used = sys.ProcessorTime // plain calls ask before there is a ring
	p.Engines.Processors.Begin(p.Clock())
	p.FindsEnd = sys.CachedKnowsEnd()
	p.Devices.Init(o.Threads, !p.realDevices)
	p.Classes.Init(func() time.Duration { return p.Clock() })
}

// Ready chooses the driver, once. Opening a ring takes a tenth of a small program's time, so only
// callers that need the driver call Ready. Cached reads do not, nor do plain calls that find a
// permit. After EndChoice there may be no driver.
func (p *Paths) Ready() { p.ready.Do(p.start) }

// IsReady reports whether Ready has chosen a driver.
func (p *Paths) IsReady() bool { return p.Engines.All() != nil }

// EndChoice keeps Ready from choosing a driver from now on, and waits for a choice in progress. The
// caller can then close all rings: there will be no more.
func (p *Paths) EndChoice() { p.ready.Do(func() {}) }

func (p *Paths) start() {
	drv := p.choose()
	p.AsyncDirect = asyncCodes(drv, driver.Direct|driver.NoWait)
	p.AsyncBuffered = asyncCodes(drv, 0)
	p.Driver = drv.Info()
	// Once a ring is lost Async returns false, so all operations need threads.
	b := p.Devices.Budgets()
	p.Engines.OnLoss = b.Widen
	p.Engines.PerDevice = func() int {
		if p.Engines.Most() == 1 { // all devices share one ring
			return 1
		}
		b.AskProcessors()
		return ioengine.MostRings(b.Processors())
	}
	p.Engines.Init(drv, p.Recording)
}
