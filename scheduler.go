package sluice

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sched"
)

// Scheduler performs the I/O of the Files that are opened on it, through one driver, or
// several of a kind (Options.Rings). Most programs use the [Default] Scheduler, by way of
// the package's functions.
type Scheduler struct {
	options         Options
	rejectedDrivers []rejectedDriver // drivers tried before the one that is used. See choose
	disk            handle.Disk      // the simulated disk that the Scheduler is on, or nil
	h               *handle.Scheduler
	mu              sync.Mutex
	classes         []*Class // the default one first. Guarded by mu
	standard        *Class   // the default one
}

// NewScheduler returns a new Scheduler with its own driver. The error says which option
// is wrong, or why the driver that o names is not available (errors.ErrUnsupported, EPERM
// under a seccomp filter …). If o names no driver, it is chosen when it is first needed: by an
// operation, by [Scheduler.Explain], or when a Recorder is set. Reads that the page cache answers
// need none. A program that needs the Scheduler no more must call Close.
func NewScheduler(o Options) (*Scheduler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	hook := new(record.Hook)
	rec := cmp.Or(o.Recorder, environmentRecorder())
	recordBy(hook, rec) // before the driver makes its first system call
	s := &Scheduler{options: o}
	choose := s.choose
	if o.Driver != "" {
		drv, err := openLate(o.Driver, o, hook)
		if err != nil {
			return nil, fmt.Errorf("sluice: driver %s: %w", o.Driver, err)
		}
		choose = func(*record.Hook) driver.Driver { return drv }
	}
	s.start(choose, hook)
	if o.Driver != "" {
		s.h.Core.Ready() // the core has the driver, and closes it
	}
	s.Record(rec)
	return s, nil
}

// OnDisk returns a new Scheduler on a simulated disk. It is for package sluicetest. A program can do nothing with it.
// Options.Driver counts for the number of threads alone.
func OnDisk(disk handle.Disk, o Options) (*Scheduler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	hook := new(record.Hook)
	recordBy(hook, o.Recorder)
	s := &Scheduler{options: o, disk: disk}
	s.start(func(*record.Hook) driver.Driver { return disk.NewDriver(o.depth()) }, hook)
	s.h.Disk = disk
	s.Record(o.Recorder)
	return s, nil
}

// start makes the inside of s, whose driver is the one that choose returns.
func (s *Scheduler) start(choose func(*record.Hook) driver.Driver, hook *record.Hook) {
	o := s.options
	var core *sched.Scheduler
	core = sched.NewLate(func() driver.Driver {
		drv := choose(hook)
		s.prepare(core, drv, hook)
		return drv
	}, s.coreOptions())
	core.SetChainDriver(func() driver.Linker { return forChains(core.Driver().Name, hook) })
	core.RecordBy(hook)
	s.h = handle.New(core, o.BufferMemory, func(depth int) driver.Driver { return openAnother(core.Driver().Name, depth) })
	s.standard = &Class{"default", s, core.DefaultClass()}
	s.classes = []*Class{s.standard}
}

// coreOptions returns the options of a core. A simulation can be repeated: so nothing in it depends on how long
// anything takes, or on when the garbage collector runs.
func (s *Scheduler) coreOptions() sched.Options {
	if s.disk == nil {
		return sched.Options{Govern: true, Threads: s.options.Threads}
	}
	o := sched.Options{Plain: 2, Threads: s.options.Threads, KeepDevices: true}
	s.disk.Attach(&o)
	return o
}

// prepare sets up core for drv, which is its driver from now on.
func (s *Scheduler) prepare(core *sched.Scheduler, drv driver.Driver, hook *record.Hook) {
	o, name := s.options, drv.Info().Name
	another := func(h *record.Hook) (driver.Driver, error) { return open(name, o, h) }
	syncs := func() driver.Driver { return forSyncs(drv, hook) }
	if s.disk != nil { // simulated, with the threads, rings and fsyncs of the driver of Options.Driver
		name = cmp.Or(o.Driver, "uring")
		another = func(*record.Hook) (driver.Driver, error) { return s.disk.NewDriver(o.depth()), nil }
		syncs = func() driver.Driver { return s.disk.NewDriver(syncDepth) }
	}
	if name != "uring" { // buffered reads wait in threads
		core.Devices.Budgets().Widen()
	}
	if name != "pool" {
		core.SetRings(o.rings(), another)
		core.SetSyncDriver(syncs)
	}
}

// Default returns the Scheduler that the package's functions use. The first call starts
// it, and it is never closed. The environment variable SLUICE_DRIVER chooses its driver
// (uring, aio or pool). If that driver is not available, Default returns the error.
// SLUICE_DRIVER=off turns sluice off for package os in programs built by "sluice build".
// Default ignores it.
func Default() (*Scheduler, error) { return defaultScheduler() }

var defaultScheduler = sync.OnceValues(func() (*Scheduler, error) {
	name := os.Getenv("SLUICE_DRIVER")
	if name == "off" { // package transparent heeds it
		name = ""
	}
	if name != "" && !slices.Contains(driverNames, name) {
		return nil, fmt.Errorf("SLUICE_DRIVER %q is not one of %s", name, strings.Join(driverNames, ", "))
	}
	s, err := NewScheduler(Options{Driver: name})
	if err != nil && name != "" {
		return nil, fmt.Errorf("SLUICE_DRIVER=%s: %w", name, err)
	}
	return s, err
})

// BufferMemory returns the most memory for the Buffers of package direct, in bytes: what is in
// force of Options.BufferMemory.
func (s *Scheduler) BufferMemory() int64 { return s.h.Buffers.Limit() }

// Close closes every File of the Scheduler and releases all that it holds. It waits for
// operations in progress, for Batches and for copies of trees: neither the body of a loop over
// Batch.Each nor a function of copytree.Options may call it. No File can be opened on the
// Scheduler any more. It returns the errors of closing the Files and the drivers. A
// second Close returns an error that is os.ErrClosed.
func (s *Scheduler) Close() error { return s.h.Close() }

// Internal returns the inside of the Scheduler, for this module's other packages. A program
// can do nothing with it.
func (s *Scheduler) Internal() *handle.Scheduler { return s.h }
