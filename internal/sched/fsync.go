package sched

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// fsyncs decides how the fsyncs of a Scheduler's files are made. Up to
// Limits.InlineSyncs at a time are plain calls: the thread that calls fsync(2) starts
// the write-back at once, and the kernel wakes it when the data is on the disk.
//
// Beyond that all but a few go through a driver that needs no thread of the process for
// them, if there is one. Such an fsync begins later, because a thread of the kernel has
// to be woken for it, and its end wakes the leader before it wakes the goroutine. But it
// takes less processor time, and the threads stay few.
//
// A file system with a journal makes one commit for all fsyncs that wait for it, so each
// is cheaper the more of them there are at a time. So a plain fsync takes no permit of the
// limiter: it would let too few through at a time, and writes would wait for permits that fsyncs
// hold.
type fsyncs struct {
	// running counts the fsyncs in progress, from chooseSyncRoute to releaseSyncRoute.
	// plain counts those that are plain calls without a permit.
	running, plain atomic.Int32
	// takenUntil is until when processorsTaken need not ask, on the Scheduler's clock.
	takenUntil atomic.Int64

	open   func() driver.Driver // see SetSyncDriver; nil if there is no driver
	opened sync.Once
	// engine is that of the driver that open has returned. It is nil before open
	// is called, and if open returned nil.
	engine atomic.Pointer[ioengine.Engine]
	// limiter bounds the fsyncs in a driver that serves all devices. Its quotas
	// keep the fsyncs of a stalled device from holding up those of others. Its
	// limit is 0 if the driver is the Scheduler's own, with an engine per device.
	limiter limiter.Limiter
}

// setLimit sets the limiter's limit to most, or to as many as a driver of that depth
// allows if most is 0 or more than that.
func (f *fsyncs) setLimit(most, depth int) {
	// A ninth of the depth stays free: when a second and a third device get a quota, permits that are
	// taken already may exceed the limit by two quotas, which are at most a sixteenth of it each.
	most = min(cmp.Or(most, depth), depth*8/9)
	f.limiter.Init(max(1, most), 0)
}

// slowSync: if the last fsync of a file took this long, the next one is queued,
// however few there are. Queueing costs nothing beside such an fsync, and a thread
// that sleeps in one would hold back the completions of the requests that it had
// submitted to io_uring: docs/decisions/0012-tied-threads.md.
const slowSync = 5 * time.Millisecond

// An fsync that took up to mostWait may have ended early, and its goroutine have waited for a processor,
// because goroutines that compute have all of them. Queued, the next one would have to wait for a
// processor several times and seem slow again, and so on. So the time of such an fsync counts as less
// than slowSync, if a yield is slow, too, or one within the last takenFor was.
const (
	mostWait = 100 * time.Millisecond
	takenFor = time.Second
)

// syncTook returns how long the fsync that began at start took.
func (s *Scheduler) syncTook(start time.Duration) time.Duration {
	took := s.Clock() - start
	if took >= slowSync && took <= mostWait && s.processorsTaken() {
		return slowSync - 1
	}
	return took
}

// processorsTaken reports whether goroutines that compute have all processors.
func (s *Scheduler) processorsTaken() bool {
	start := s.Clock()
	if start < time.Duration(s.fsyncs.takenUntil.Load()) {
		return true
	}
	s.inline.yield()
	if s.Clock()-start < sys.SlowYield {
		return false
	}
	s.fsyncs.takenUntil.Store(int64(start + takenFor))
	return true
}

// tiedSyncs is how many fsyncs at a time are plain calls while a ring has a leader: then the
// threads may have submitted requests whose completions they would hold back.
const tiedSyncs = 2

// SetSyncDriver has the fsyncs that are not to be plain calls performed by the driver
// that open returns: most of those beyond Limits.InlineSyncs at a time, and those of slow
// files. Open is called once, when
// the driver is first needed. It may return the Scheduler's own driver, or nil for
// none. The Scheduler closes the driver. SetSyncDriver must be called before the
// first Sync, or by the function that chooses the Scheduler's driver (Paths.Ready).
func (s *Scheduler) SetSyncDriver(open func() driver.Driver) { s.fsyncs.open = open }

// syncRoute is how an fsync is made: through engine, or by a plain call if engine is
// nil. A plain call that counts in fsyncs.plain needs no permit. The others hold one.
type syncRoute struct {
	engine  *ioengine.Engine
	counted bool
	permit  limiter.Permit
}

// chooseSyncRoute decides how the next fsync of f is made, and waits for the permit
// that this needs. The error is ctx's, if ctx ends first. Last is how long f's last fsync took.
func (s *Scheduler) chooseSyncRoute(ctx context.Context, f *File, last time.Duration) (w syncRoute, err error) {
	y := &s.fsyncs
	s.Ready() // choosing the driver may call SetSyncDriver
	running := y.running.Add(1)
	switch {
	case y.open == nil: // no driver, so plain calls are all there is
	case s.startsPlainSync(last, running):
		return syncRoute{counted: true}, nil
	default:
		w.engine = s.syncEngine(f)
	}
	if w.engine != nil {
		w.permit, err = s.acquireQueuedSync(ctx, f)
	} else {
		w.permit, err = s.AcquirePermit(ctx, driver.Fsync, f)
	}
	if err != nil {
		y.running.Add(-1)
	}
	return w, err
}

// startsPlainSync reports whether the next fsync of a file whose last one took so long, and with
// which there are so many running, is a plain call without a permit. It counts it in fsyncs.plain.
func (s *Scheduler) startsPlainSync(last time.Duration, running int32) bool {
	most := int32(s.Bounds.InlineSyncs)
	if running > most {
		most = min(most, int32(s.Bounds.BusySyncs))
	}
	if s.Engines.HasReaper() {
		most = min(most, tiedSyncs)
	}
	plain := &s.fsyncs.plain
	if plain.Add(1) <= most && last < slowSync {
		return true
	}
	plain.Add(-1)
	return false
}

// acquireQueuedSync acquires a permit for an fsync of f that is to be queued. The error
// is ctx's.
func (s *Scheduler) acquireQueuedSync(ctx context.Context, f *File) (limiter.Permit, error) {
	l := &s.fsyncs.limiter
	if l.Limit() == 0 || l.TryAcquire() {
		return limiter.Permit{}, nil
	}
	return l.Acquire(ctx, s.DeviceOf(f), limiter.Syncs)
}

// releaseQueuedSync releases the permit that acquireQueuedSync has acquired.
func (s *Scheduler) releaseQueuedSync(p limiter.Permit) {
	if l := &s.fsyncs.limiter; l.Limit() != 0 {
		l.Release(p)
	}
}

// releaseSyncRoute releases what chooseSyncRoute has acquired: after the fsync, or if none
// is made.
func (s *Scheduler) releaseSyncRoute(w syncRoute) {
	switch {
	case w.counted:
		s.fsyncs.plain.Add(-1)
	case w.engine != nil:
		s.releaseQueuedSync(w.permit)
	default:
		s.Limiter.Release(w.permit)
	}
	s.fsyncs.running.Add(-1)
}

// fsync makes an fsync or fdatasync, as code says, on fd, f's second descriptor or
// groupcommit.OwnFD, by the route w, and releases w. Asked is when it was requested, for the record.
func (s *Scheduler) fsync(w syncRoute, asked int64, code driver.Code, f *File, fd int) error {
	var losses *groupcommit.LostWrites // nil for the second: writes go to f.FD, and report their losses there
	if fd == groupcommit.OwnFD {
		losses, fd = f.LostWrites, f.FD
	}
	call := losses.Begin()
	var res int32
	if w.engine == nil {
		res = s.PlainSync(asked, fd, code, f)
	} else {
		res = s.queueSync(w.engine, asked, code, f, fd)
	}
	s.releaseSyncRoute(w)
	losses.End(call, res)
	if res < 0 {
		return syscall.Errno(-res)
	}
	return nil
}

// queueSync makes an fsync or fdatasync through e, or by a plain call if e refuses it.
func (s *Scheduler) queueSync(e *ioengine.Engine, asked int64, code driver.Code, f *File, fd int) int32 {
	r := s.Requests.New()
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off = code, f.Flags, int32(fd), 0
	e.Push(r)
	r.Wait(context.Background(), e) // this context does not end: nothing ends an fsync early
	res := op.Res
	refused := res == einval || res == ecanceled || res == eagain || res == eintr
	if asked != 0 && !refused {
		s.RecordQueued(e, asked, record.Now(), r, f)
	}
	r.Free()
	if refused {
		// Linux AIO returns EINVAL for a file that has no fsync. Asking again is cheap
		// then, and loses no error, as fsync(2) reports EINVAL more than once. A lost
		// driver returns ECANCELED for an operation that it has not begun, and EAGAIN if the kernel
		// has no memory for it (io_submit(2)) and it must not wait in a thread. After EINTR fsync(2) is
		// repeated, as package os does.
		p, _ := s.AcquirePermit(context.Background(), code, f) // fails only with its context
		defer s.Limiter.Release(p)
		return s.PlainSync(asked, fd, code, f)
	}
	s.Counters.Add(counters.Queued, code, res)
	return res
}

// syncEngine returns the engine for fsyncs of f, or nil if there is none or it is lost.
func (s *Scheduler) syncEngine(f *File) *ioengine.Engine {
	y := &s.fsyncs
	if y.open == nil {
		return nil
	}
	y.opened.Do(func() {
		switch drv := y.open(); drv {
		case nil:
		case s.Engines.First().Driver():
			y.engine.Store(s.Engines.First())
		default:
			e := ioengine.New(drv)
			e.RecordBy(s.Recording)
			e.OnLoss(func(err error) { s.Lost.Add(drv, err) })
			y.setLimit(s.Bounds.QueuedSyncs, drv.Info().Depth)
			y.engine.Store(e)
		}
	})
	e := y.engine.Load()
	if e == s.Engines.First() {
		e = s.EngineOf(f)
	}
	if e == nil || e.Lost() {
		return nil
	}
	return e
}

// closeSyncs closes the driver for fsyncs, unless it is the Scheduler's own. All Syncs
// have ended.
func (s *Scheduler) closeSyncs() error {
	e := s.fsyncs.engine.Load()
	if e == nil || e == s.Engines.First() {
		return nil
	}
	return e.Close()
}
