package sluice

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sched"
)

// Scheduler performs the I/O of the Files that are opened on it, through one
// driver, or several of a kind (Options.Rings). Most programs use the [Default] one, by way of the package's
// functions.
type Scheduler struct {
	options Options
	refused []refusal // drivers tried before the one that is used
	forced  bool      // the driver was asked for by name
	core    *sched.Scheduler
	pools   pools
	// byCall is BatchOp.byCall: a field so that a test can play it.
	byCall func(*BatchOp) error
	paces  batchPaces
	few    atomic.Uint32 // small Batches; see batchPace
	watch  batchWatch
	cap    measuredCap

	lent sync.WaitGroup // see internal/lend, and Batches. Raised under mu, unless closed

	mu     sync.Mutex
	closed bool
	// files are the open Files. Weak, so that a File that was forgotten is
	// still closed by the garbage collector.
	files    map[weak.Pointer[File]]struct{}
	classes  []*Class // the default one first. Under mu
	standard *Class   // the default one
}

var errSchedulerClosed = fmt.Errorf("scheduler closed: %w", os.ErrClosed)

// NewScheduler returns a Scheduler of its own, with its own driver. The error
// says which option is wrong, or why the driver that was asked for cannot be
// had (errors.ErrUnsupported, EPERM under a seccomp filter …).
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
	})
	if info.Name != "pool" {
		core.RingsThrough(o.rings(), func(h *record.Hook) (driver.Driver, error) { return open(info.Name, o, h) })
		core.SyncThrough(func() driver.Driver { return forSyncs(drv, hook) })
	}
	if info.Name == "uring" {
		core.LaneThrough(func() driver.Linker { return forChains(hook) })
	}
	core.RecordBy(hook)
	s := newScheduler(core, o)
	s.refused = refused
	s.Record(rec)
	return s, nil
}

// newScheduler returns a Scheduler on core, which it owns.
func newScheduler(core *sched.Scheduler, o Options) *Scheduler {
	s := &Scheduler{
		options: o,
		forced:  o.Driver != "",
		core:    core,
		pools:   newPools(core, o.BufferMemory),
		byCall:  (*BatchOp).byCall,
		files:   make(map[weak.Pointer[File]]struct{}),
	}
	core.CapBy(s.cap.of)
	s.standard = &Class{"default", s, core.DefaultClass()}
	s.classes = []*Class{s.standard}
	return s
}

// Default returns the Scheduler that the package's functions use. It is
// started at the first call, and never closed. The environment variable
// SLUICE_DRIVER chooses its driver (uring, aio or pool); the error is that of
// a driver that was asked for and cannot be had.
func Default() (*Scheduler, error) { return defaultScheduler() }

var defaultScheduler = sync.OnceValues(func() (*Scheduler, error) {
	name := os.Getenv("SLUICE_DRIVER")
	if name == "off" { // what package transparent is told; see there
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

// Close closes every File of the Scheduler, waiting for their operations in
// progress, for Batches and for copies of trees, and releases all that it holds.
// Files cannot be opened on it any more. It returns what went wrong in closing the files.
func (s *Scheduler) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errSchedulerClosed
	}
	s.closed = true
	files := s.files
	s.files = nil
	s.mu.Unlock()
	s.lent.Wait()
	s.watch.stop()
	var errs []error
	for p := range files {
		if f := p.Value(); f != nil {
			errs = append(errs, ignoreClosed(f.Close()))
			f.ended.Wait() // if someone else is closing it
		}
	}
	s.pools.close()
	return errors.Join(append(errs, s.core.Close())...)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// usable returns an error if the Scheduler is closed.
func (s *Scheduler) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errSchedulerClosed
	}
	return nil
}

// add notes an open File, unless the Scheduler is closed.
func (s *Scheduler) add(p weak.Pointer[File]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errSchedulerClosed
	}
	s.files[p] = struct{}{}
	return nil
}

// remove forgets a File that is closed or gone.
func (s *Scheduler) remove(p weak.Pointer[File]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, p)
}
