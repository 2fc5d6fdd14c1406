package sched

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Limits bounds what a Scheduler occupies.
type Limits struct {
	// InlineReads is how many reads at once are plain system calls, whatever
	// the driver could do, as long as nothing is queued. At depth 1 every
	// queue loses to that call.
	InlineReads int
	// InlineWrites is how many threads may wait, whatever for, for one more
	// to wait in a write that the driver could queue.
	InlineWrites int
	// InlineSyncs is how many fsyncs at once are plain system calls, if there is
	// a driver for them (SyncThrough).
	InlineSyncs int
	// QueuedSyncs is how many that driver has at once, but for a ninth of its depth
	// at most, which is kept for devices that come when others have all; 0 is as many
	// as that leaves.
	QueuedSyncs int
	// LargeReads is the same for large buffered reads.
	LargeReads int
	// Blocking is the most threads that may wait in system calls: for those,
	// and for operations that the driver cannot perform without a thread.
	Blocking int
}

// Scheduler performs operations on Files through a driver, or several of a kind.
type Scheduler struct {
	drv    driver.Driver // the first ring's
	limits Limits
	engine *engine // the first ring
	rings  rings
	memory memory
	// closing counts the Closes of files in progress. See needed.
	closing atomic.Int32
	gate    gate
	names   gate          // for calls with names; see named.go
	apart   atomic.Uint64 // how many Apart has counted
	lane    Lane
	classed atomic.Bool // operations take turns; see classes
	helpers helpers
	classes classes
	fsyncs  fsyncs
	// asyncDirect and asyncBuffered tell what the driver performs without a
	// thread, on files with and without O_DIRECT.
	asyncDirect, asyncBuffered [driver.NumCodes]bool
	// waiting counts the operations on path 3. Who starts and ends one writes
	// it; the choice of path reads it.
	waiting atomic.Int32
	stats   counters
	hook    *record.Hook // who records what is done, if anybody
	// call is the plain system call: a field so that a test can play it.
	call    Caller
	callVec func(code driver.Code, fd int, first []byte, rest [][]byte, off int64) int32
	// now is the monotonic clock, and reopen opens another description of a
	// file; fields for the same reason.
	now    func() time.Duration
	reopen func(fd int) int
	// knowsEnd: what sys.ReadCached finds at the end of a file can be relied upon.
	knowsEnd bool
}

// New returns a Scheduler that owns drv, and has one ring unless RingsThrough says
// otherwise.
func New(drv driver.Driver, l Limits) *Scheduler {
	e := newEngine(drv)
	s := &Scheduler{
		drv:    drv,
		limits: l,
		engine: e,
		hook:   e.hook,
		gate:   gate{limit: int32(l.Blocking)},
		names:  gate{limit: int32(l.Blocking)},
		call:   call, callVec: callVec,
		now:    clock(),
		reopen: sys.Reopen,

		asyncDirect:   asyncCodes(drv, driver.Direct|driver.NoWait),
		asyncBuffered: asyncCodes(drv, 0),
		knowsEnd:      sys.CachedKnowsEnd(),
	}
	e.closing = &s.closing
	s.gate.part(1)
	s.names.part(1)
	s.initClasses()
	s.initRings(e)
	s.memory.at = make(map[uint32][]byte)
	s.helpers.init(s)
	return s
}

// clock returns a clock that starts now.
func clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Now is the Scheduler's clock, which never goes back.
func (s *Scheduler) Now() time.Duration { return s.now() }

// Driver describes the driver.
func (s *Scheduler) Driver() driver.Info { return s.drv.Info() }

// Limits tells the bounds in force.
func (s *Scheduler) Limits() Limits { return s.limits }

// Close ends the drivers. All operations have ended: their Files are closed.
func (s *Scheduler) Close() error {
	for _, e := range *s.rings.all.Load() {
		e.turns.close()
		e.wait()
	}
	s.helpers.wait()
	errs := []error{s.closeSyncs(), s.lane.close()}
	for _, e := range *s.rings.all.Load() {
		errs = append(errs, e.drv.Close())
	}
	return errors.Join(errs...)
}
