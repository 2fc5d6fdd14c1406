package sched

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Limits bounds what a Scheduler occupies: threads that wait in system calls, and places of
// the driver for fsyncs.
type Limits struct {
	// InlineReads bounds plain calls for reads that the driver could queue: fewer than
	// InlineReads threads must be waiting in plain calls, of any kind. Also, nothing may
	// be queued and no ring may have a leader. At depth 1 every queue is slower than that
	// call.
	InlineReads int
	// InlineWrites bounds plain calls for writes that the driver could queue: fewer than
	// InlineWrites threads must be waiting in plain calls, of any kind.
	InlineWrites int
	// InlineSyncs is how many fsyncs at once are plain system calls, if there is
	// a driver for them (SetSyncDriver).
	InlineSyncs int
	// QueuedSyncs is how many fsyncs that driver has at once; 0 is as many as possible.
	// It has at most eight ninths of its depth. The rest is for the quotas of devices
	// that come when others have all slots.
	QueuedSyncs int
	// LargeReads bounds plain calls for large buffered reads in the same way, whatever is
	// queued.
	LargeReads int
	// Blocking is the most threads that may wait in system calls: for the plain calls
	// above, and for operations that the driver cannot perform without a thread.
	// Fallback, if it is larger, replaces it once the driver is lost.
	Blocking, Fallback int
}

// Scheduler performs operations on Files through a driver, or several of a kind.
type Scheduler struct {
	drv    driver.Driver // the first ring's
	limits Limits
	engine *engine // the first ring
	rings  rings
	memory memory
	// closing counts the Closes of files in progress. See engine.reaperRequired.
	closing     atomic.Int32
	limiter     limiter
	windows     windows       // of plain calls whose contexts may end
	nameLimiter limiter       // for calls with names; see named.go
	isolations  atomic.Uint64 // how many IsolatedContexts were made
	chains      ChainRunner
	hasClasses  atomic.Bool // set once operations take turns by class; see classes
	helpers     helpers
	classes     classes
	fsyncs      fsyncs
	lost        lostDrivers
	// asyncDirect and asyncBuffered report what the driver performs without a thread, on
	// files with and without O_DIRECT.
	asyncDirect, asyncBuffered [driver.NumCodes]bool
	// queuedOps counts the operations on path 3. A goroutine that starts or ends one
	// writes it; the choice between the paths reads it.
	queuedOps atomic.Int32
	stats     counters
	hook      *record.Hook // records operations, while a recorder is set
	// call and callVec make the plain system calls. They are fields so that a test can
	// replace them.
	call    Caller
	callVec func(code driver.Code, fd int, first []byte, rest [][]byte, off int64) int32
	// now is the monotonic clock, reopen opens another description of a file, and
	// startRange starts the write-back of a part of one. They are fields for the same reason.
	now        func() time.Duration
	reopen     func(fd int) int
	startRange func(fd int, off, n int64) int32
	// knowsEnd is true if sys.ReadCached can be relied upon to report the end of a file.
	knowsEnd bool
}

// New returns a Scheduler that owns drv. It has one ring unless SetRings says otherwise.
func New(drv driver.Driver, l Limits) *Scheduler {
	e := newEngine(drv)
	s := &Scheduler{
		drv:         drv,
		limits:      l,
		engine:      e,
		hook:        e.hook,
		limiter:     limiter{limit: int32(l.Blocking), onTop: sharesOnTop},
		nameLimiter: limiter{limit: int32(l.Blocking)},
		call:        call, callVec: callVec,
		now:        clock(),
		reopen:     sys.Reopen,
		startRange: sys.StartWriteback,

		asyncDirect:   asyncCodes(drv, driver.Direct|driver.NoWait),
		asyncBuffered: asyncCodes(drv, 0),
		knowsEnd:      sys.CachedKnowsEnd(),
	}
	e.closing, e.onLoss = &s.closing, s.ringLost
	s.windows.init(func() time.Duration { return s.now() })
	s.limiter.addQuotas(1)
	s.nameLimiter.addQuotas(1)
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

// Now returns the time of the Scheduler's clock, which never goes back.
func (s *Scheduler) Now() time.Duration { return s.now() }

// Driver describes the driver.
func (s *Scheduler) Driver() driver.Info { return s.drv.Info() }

// Limits returns the bounds in force.
func (s *Scheduler) Limits() Limits {
	l := s.limits
	l.Blocking = int(s.limiter.places())
	return l
}

// Close closes the drivers. All operations must have ended: their Files are closed.
func (s *Scheduler) Close() error {
	for _, e := range *s.rings.all.Load() {
		e.fairQueue.close()
		e.wait()
	}
	s.helpers.wait()
	errs := []error{s.closeSyncs(), s.chains.close()}
	for _, e := range *s.rings.all.Load() {
		errs = append(errs, e.drv.Close())
	}
	return errors.Join(errs...)
}
