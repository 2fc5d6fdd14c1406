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
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
)

// fsyncs decides how the fsyncs of a Scheduler's files are made. Up to
// Limits.InlineSyncs at a time are plain calls, which is quickest for few. The
// others go through a driver that needs no thread of the process for them, if there
// is one. A file system with a journal makes one commit for all fsyncs that wait
// for it, so each is cheaper the more of them there are at a time. The limiter of
// plain calls would let too few through.
type fsyncs struct {
	// inline counts the fsyncs that are plain calls, or wait for a permit to be
	// one, except those that the driver has refused. Raised by chooseSyncRoute.
	// Lowered after the call by fsync, or by releaseSyncRoute if there is none.
	inline atomic.Int32

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
	most = min(cmp.Or(most, depth), depth*8/9) // two quotas may come on top, for a while
	f.limiter.Init(max(1, most), 0)
}

// slowSync: if the last fsync of a file took this long, the next one is queued,
// however few there are. Queueing costs nothing beside such an fsync, and a thread
// that sleeps in one would hold back the completions of the requests that it had
// submitted to io_uring: docs/decisions/0012-tied-threads.md.
const slowSync = 5 * time.Millisecond

// SetSyncDriver has the fsyncs beyond Limits.InlineSyncs at a time, and those of
// slow files, performed by the driver that open returns. Open is called once, when
// the driver is first needed. It may return the Scheduler's own driver, or nil for
// none. The Scheduler closes the driver. SetSyncDriver must be called before the
// first Sync.
func (s *Scheduler) SetSyncDriver(open func() driver.Driver) { s.fsyncs.open = open }

// syncRoute is how an fsync is made: through engine, or by a plain call if engine is
// nil. It holds the permit for either.
type syncRoute struct {
	engine *ioengine.Engine
	permit limiter.Permit
}

// chooseSyncRoute decides how the next fsync of f is made, and waits for the permit
// that this needs. The error is ctx's, if ctx ends first.
func (s *Scheduler) chooseSyncRoute(ctx context.Context, f *File) (syncRoute, error) {
	if s.fsyncs.inline.Add(1) > int32(s.Bounds.InlineSyncs) || f.Syncer.Took() >= slowSync {
		if e := s.syncEngine(f); e != nil {
			s.fsyncs.inline.Add(-1)
			p, err := s.acquireQueuedSync(ctx, f)
			return syncRoute{e, p}, err
		}
	}
	p, err := s.AcquirePermit(ctx, driver.Fsync, f)
	if err != nil {
		s.fsyncs.inline.Add(-1)
	}
	return syncRoute{permit: p}, err
}

// acquireQueuedSync acquires a permit for an fsync of f that is to be queued. The error
// is ctx's.
func (s *Scheduler) acquireQueuedSync(ctx context.Context, f *File) (limiter.Permit, error) {
	l := &s.fsyncs.limiter
	if l.Limit() == 0 || l.TryAcquire() {
		return limiter.Permit{}, nil
	}
	return l.Acquire(ctx, s.DeviceOf(f))
}

// releaseQueuedSync releases the permit that acquireQueuedSync has acquired.
func (s *Scheduler) releaseQueuedSync(p limiter.Permit) {
	if l := &s.fsyncs.limiter; l.Limit() != 0 {
		l.Release(p)
	}
}

// releaseSyncRoute releases what chooseSyncRoute has acquired, if no fsync is made.
func (s *Scheduler) releaseSyncRoute(w syncRoute) {
	if w.engine != nil {
		s.releaseQueuedSync(w.permit)
		return
	}
	s.fsyncs.inline.Add(-1)
	s.Limiter.Release(w.permit)
}

// fsync makes an fsync or fdatasync, as code says, on fd, a descriptor of f, by the
// route w, and releases w. Asked is when it was requested, for the record.
func (s *Scheduler) fsync(w syncRoute, asked int64, code driver.Code, f *File, fd int) error {
	f.Syncer.Syncing()
	losses := f.Losses
	if fd != f.FD {
		losses = nil // writes go to f.FD, and no report of theirs is taken from fd
	}
	call := losses.Begin()
	var res int32
	if w.engine == nil {
		res = s.PlainCallOn(asked, w.permit, fd, code, f, nil, 0)
		s.fsyncs.inline.Add(-1)
	} else {
		res = s.queueSync(w.engine, asked, code, f, fd)
		s.releaseQueuedSync(w.permit)
	}
	losses.End(call, res)
	if res < 0 {
		return syscall.Errno(-res)
	}
	return nil
}

// queueSync makes an fsync or fdatasync through e, or by a plain call if e refuses it.
func (s *Scheduler) queueSync(e *ioengine.Engine, asked int64, code driver.Code, f *File, fd int) int32 {
	r := ioengine.NewRequest()
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off = code, f.Flags, int32(fd), 0
	e.Push(r)
	<-r.Done() // without a context: nothing ends an fsync early
	res := op.Res
	refused := res == einval || res == ecanceled
	if asked != 0 && !refused {
		s.RecordQueued(e, asked, record.Now(), r, f)
	}
	r.Free()
	if refused {
		// Linux AIO returns EINVAL for a file that has no fsync. Asking again is cheap
		// then, and loses no error, as fsync(2) reports EINVAL more than once. A lost
		// driver returns ECANCELED for an operation that it has not begun.
		p, _ := s.AcquirePermit(context.Background(), code, f) // fails only with its context
		return s.PlainCallOn(asked, p, fd, code, f, nil, 0)
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
