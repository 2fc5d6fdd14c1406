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
	rejectedDrivers []rejectedDriver // drivers tried before the one that is used
	forced          bool             // the driver was asked for by name
	h               *handle.Scheduler
	mu              sync.Mutex
	classes         []*Class // the default one first. Guarded by mu
	standard        *Class   // the default one
}

// NewScheduler returns a new Scheduler with its own driver. The error says which option
// is wrong, or why the driver that o names is not available (errors.ErrUnsupported, EPERM
// under a seccomp filter …).
func NewScheduler(o Options) (*Scheduler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	hook := new(record.Hook)
	rec := cmp.Or(o.Recorder, environmentRecorder())
	recordBy(hook, rec) // before the driver makes its first system call
	drv, refused, err := choose(o, hook)
	if err != nil {
		return nil, err
	}
	info := drv.Info()
	core := sched.New(drv, sched.Limits{
		InlineReads:  inlineReads,
		InlineWrites: inlineWrites,
		InlineSyncs:  inlineSyncs,
		QueuedSyncs:  queuedSyncs,
		LargeReads:   largeReads,
		Blocking:     o.blockingThreads(info.Name),
		Fallback:     o.blockingThreads("pool"),
	})
	if info.Name != "pool" {
		core.SetRings(o.rings(), func(h *record.Hook) (driver.Driver, error) { return open(info.Name, o, h) })
		core.SetSyncDriver(func() driver.Driver { return forSyncs(drv, hook) })
	}
	if info.Name == "uring" {
		core.SetChainDriver(func() driver.Linker { return forChains(hook) })
	}
	core.RecordBy(hook)
	s := newScheduler(core, o)
	s.rejectedDrivers = refused
	s.Record(rec)
	return s, nil
}

// newScheduler returns a Scheduler that owns core.
func newScheduler(core *sched.Scheduler, o Options) *Scheduler {
	s := &Scheduler{
		options: o,
		forced:  o.Driver != "",
		h:       handle.New(core, o.BufferMemory, opener(core.Driver().Name)),
	}
	s.standard = &Class{"default", s, core.DefaultClass()}
	s.classes = []*Class{s.standard}
	return s
}

// Default returns the Scheduler that the package's functions use. The first call starts
// it, and it is never closed. The environment variable SLUICE_DRIVER chooses its driver
// (uring, aio or pool). If that driver is not available, Default returns the error. The value
// off is for programs that "sluice build" has put on sluice: their use of package os takes
// its old way. To Default it is as if nothing was set.
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

// Close closes every File of the Scheduler and releases all that it holds. It waits for
// operations in progress, for Batches and for copies of trees. No File can be opened on
// the Scheduler any more. It returns the errors of closing the Files and the drivers. A
// second Close returns an error that is os.ErrClosed.
func (s *Scheduler) Close() error { return s.h.Close() }

// Internal returns the inside of the Scheduler, for this module's other packages. A program
// can do nothing with it.
func (s *Scheduler) Internal() *handle.Scheduler { return s.h }
