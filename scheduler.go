package sluice

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sched"
)

// Scheduler performs the I/O of the Files that are opened on it. Most programs use the [Default]
// Scheduler, through the package's functions. [NewScheduler] makes another one. The zero Scheduler
// panics when it is used.
type Scheduler struct {
	options         Options
	rejectedDrivers []rejectedDriver // drivers that choose has tried before the present one
	parts           handle.Parts
	h               *handle.Scheduler // nil in the zero Scheduler; see made
	mu              sync.Mutex
	classes         []*Class // the default one first. Guarded by mu
	standard        *Class   // the default one
}

// NewScheduler returns a new Scheduler. The error names a wrong option, or says why the driver in o
// is not available (errors.ErrUnsupported; EPERM under a seccomp filter). If o names no driver, the
// Scheduler chooses one when an operation, [Scheduler.Explain] or a Recorder first needs it. The
// caller must call Close.
func NewScheduler(o Options) (*Scheduler, error) {
	if err := o.check(); err != nil {
		return nil, err // before environmentRecorder makes a file
	}
	o.Recorder = cmp.Or(o.Recorder, environmentRecorder())
	return newScheduler(handle.UsualParts(), o)
}

// newScheduler is NewScheduler with parts that replace the system's.
func newScheduler(parts handle.Parts, o Options) (*Scheduler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	hook := new(record.Hook)
	recordBy(hook, o.Recorder) // before the driver makes its first system call
	s := &Scheduler{options: o, parts: parts}
	drv := parts.Driver
	if drv == nil && parts.Disk == nil && o.Driver != "" {
		var err error
		if drv, err = openLate(o.Driver, o, hook); err != nil {
			return nil, fmt.Errorf("sluice: driver %s: %w", o.Driver, err)
		}
		drv = parts.InFront(drv)
	}
	s.start(drv, hook)
	s.Record(o.Recorder)
	openSchedulers.add(s)
	return s, nil
}

// start makes the core of s on drv. If drv is nil, choose finds the driver when it is first needed.
func (s *Scheduler) start(drv driver.Driver, hook *record.Hook) {
	o := s.parts.Core
	o.Threads, o.Recording = s.options.Threads, hook
	var core *sched.Scheduler
	core = sched.New(func() driver.Driver {
		drv := drv
		if drv == nil {
			drv = s.choose(hook)
		}
		s.prepare(core, drv, hook)
		return drv
	}, o)
	s.h = handle.New(core, s.options.BufferMemory, s.openAnother)
	s.h.Disk, s.h.Face, s.h.NeverLook = s.parts.Disk, s, s.parts.NeverLook
	s.standard = &Class{"default", s, core.Classes().Default()}
	s.classes = []*Class{s.standard}
	if drv != nil {
		core.Ready() // the core owns the driver from now on
	}
}

// kind returns the name of the driver, or "" if openAnother cannot open one more of its kind.
func (s *Scheduler) kind() string {
	if s.parts.Driver != nil {
		return ""
	}
	return s.h.Core.Driver().Name
}

// prepare sets up core for drv, its new driver.
func (s *Scheduler) prepare(core *sched.Scheduler, drv driver.Driver, hook *record.Hook) {
	if s.parts.Driver != nil {
		return
	}
	o, name, disk := s.options, drv.Info().Name, s.parts.Disk
	another := func(h *record.Hook) (driver.Driver, error) {
		drv, err := open(name, o, h)
		if err != nil {
			return nil, err
		}
		return s.parts.InFront(drv), nil
	}
	syncs := func() driver.Driver { return s.forSyncs(hook) }
	// a simulated disk: its drivers replace the named driver's threads, rings and fsyncs
	if disk != nil {
		name = cmp.Or(o.Driver, DriverUring)
		another = func(*record.Hook) (driver.Driver, error) { return disk.NewDriver(o.depth()), nil }
		syncs = func() driver.Driver { return disk.NewDriver(syncDepth) }
	}
	if name != DriverUring { // buffered reads wait in threads
		core.Devices().Budgets().Widen()
	}
	if name != DriverPool {
		core.Rings().SetMost(o.rings(), another)
		core.SetSyncDriver(syncs)
	}
}

// Default returns the Scheduler of the package's functions. The first call starts it; it is never
// closed. SLUICE_DRIVER in the environment names its driver, as [Options].Driver does. If that
// driver is not available, Default returns the error. SLUICE_DRIVER=off is for programs built by
// "sluice build" alone; Default treats it as unset.
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

// Close closes every File of the Scheduler and releases its rings and memory. It waits for
// operations, Batches and copies of trees in progress, so a loop over Batch.Each and a callback of
// copytree must not call it. It returns the errors of closing Files and rings. A second Close
// returns an error that is os.ErrClosed.
func (s *Scheduler) Close() error { return s.made().Close() }

// made returns the inside of s. It panics if s is nil, or the zero Scheduler.
func (s *Scheduler) made() *handle.Scheduler {
	if s == nil || s.h == nil {
		panic("sluice: use of a nil or zero Scheduler; NewScheduler makes Schedulers")
	}
	return s.h
}

// openSchedulers are the Schedulers of the process, for those who look at it (trace/live).
var openSchedulers schedulers

// schedulers is a list of Schedulers, in the order in which they were made. The pointers are weak:
// a Scheduler that the program has dropped without Close is garbage.
type schedulers struct {
	mu  sync.Mutex
	all []weak.Pointer[Scheduler]
}

// add adds s, and forgets the ones that are gone.
func (l *schedulers) add(s *Scheduler) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(p weak.Pointer[Scheduler]) bool {
		s := p.Value()
		return s == nil || s.h.Usable() != nil
	})
	l.all = append(l.all, weak.Make(s))
}

// list returns those that are not closed, each as a *Scheduler.
func (l *schedulers) list() (open []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.all {
		if s := p.Value(); s != nil && s.h.Usable() == nil {
			open = append(open, s)
		}
	}
	return open
}

// The hooks give this module's other packages access to the inside of Files and Schedulers. See
// internal/inside.
func init() {
	handle.Hook = handle.Hooks{
		Scheduler: func(s any) *handle.Scheduler { return s.(*Scheduler).made() },
		File:      func(f any) *handle.File { return &f.(*File).h },
		All:       openSchedulers.list,
		New:       func(p handle.Parts, o any) (any, error) { return newScheduler(p, o.(Options)) },
	}
}
