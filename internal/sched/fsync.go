package sched

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// fsyncs decides how the fsyncs of a Scheduler's files are made: as plain
// calls up to Limits.InlineSyncs at a time, which is quickest for few, and
// beyond that through a driver that needs no thread of the process for them,
// if there is one. File systems with a journal make one commit for all who
// wait for it, so that the more fsyncs there are at a time the cheaper each is;
// the gate would let too few through.
type fsyncs struct {
	// inline counts those that are plain calls, or wait at the gate to be one,
	// as far as admit has a choice. Raised by admit, lowered by who has made
	// the call.
	inline atomic.Int32

	open   func() driver.Driver // see SyncThrough; nil if there is none
	opened sync.Once
	// engine is of the driver that open has returned: nil before that, and if
	// it has returned none.
	engine atomic.Pointer[engine]
	// gate is that of fsyncs to a driver that is for all devices: those of one that is
	// stalled hold up none of another. Its limit is 0 if each device has an engine.
	gate gate
}

// places sees to it that the gate has its places, with a driver of that depth.
func (y *fsyncs) places(most, depth int) {
	most = min(cmp.Or(most, depth), depth*8/9) // two shares may come on top: see share
	y.gate.limit = int32(max(1, most))
	y.gate.part(1)
}

// slowSync is how long the last fsync of a file has taken for the next one to
// be queued however few there are. What queueing costs is nothing beside it,
// and a thread that is asleep in it would hold back what it had submitted to
// io_uring before: docs/decisions/0012-tied-threads.md.
const slowSync = 5 * time.Millisecond

// SyncThrough has fsyncs performed by the driver that open returns, when there
// are more than Limits.InlineSyncs at a time. It is opened when first needed,
// and then the Scheduler's; it may be the one that the Scheduler has; nil is
// none. Called before the first Sync.
func (s *Scheduler) SyncThrough(open func() driver.Driver) { s.fsyncs.open = open }

// syncWay is how an fsync is made: through an engine, or, if that is nil, by a plain
// call. There is a place for it at the gate of either.
type syncWay struct {
	engine *engine
	pass   pass
}

// admitSync decides how the next fsync of f is made, and takes a place at the gate if
// that needs one. The error is ctx's, which has ended before there was a place.
func (s *Scheduler) admitSync(ctx context.Context, f *File) (syncWay, error) {
	if s.fsyncs.inline.Add(1) > int32(s.limits.InlineSyncs) || f.syncer.took() >= slowSync {
		if e := s.syncEngine(f); e != nil {
			s.fsyncs.inline.Add(-1)
			p, err := s.enterQueue(ctx, f)
			return syncWay{e, p}, err
		}
	}
	p, err := s.enter(ctx, f)
	if err != nil {
		s.fsyncs.inline.Add(-1)
	}
	return syncWay{pass: p}, err
}

// enterQueue takes a place for an fsync of f that is to be queued. The error is ctx's.
func (s *Scheduler) enterQueue(ctx context.Context, f *File) (pass, error) {
	g := &s.fsyncs.gate
	if g.limit == 0 || g.take() {
		return nil, nil
	}
	return g.await(ctx, s.deviceOf(f))
}

// leaveQueue gives it back.
func (s *Scheduler) leaveQueue(p pass) {
	if g := &s.fsyncs.gate; g.limit != 0 {
		g.leave(p)
	}
}

// forgoSync gives back what admitSync has taken.
func (s *Scheduler) forgoSync(w syncWay) {
	if w.engine != nil {
		s.leaveQueue(w.pass)
		return
	}
	s.fsyncs.inline.Add(-1)
	s.gate.leave(w.pass)
}

// fsync makes one on fd, a descriptor of f, as admitSync has decided. It was
// asked for at asked, for the record.
func (s *Scheduler) fsync(w syncWay, asked int64, f *File, fd int) error {
	f.unsynced.Store(0) // the fsync starts their write-back itself
	var res int32
	if w.engine == nil {
		res = s.plainOn(asked, w.pass, fd, driver.Fsync, f, nil, 0)
		s.fsyncs.inline.Add(-1)
	} else {
		res = s.queueSync(w.engine, asked, f, fd)
		s.leaveQueue(w.pass)
	}
	if res < 0 {
		return syscall.Errno(-res)
	}
	return nil
}

// queueSync makes an fsync through e.
func (s *Scheduler) queueSync(e *engine, asked int64, f *File, fd int) int32 {
	r := requests.Get().(*request)
	r.trip = trip{}
	op := &r.op
	op.Code, op.Flags, op.FD, op.Off = driver.Fsync, f.flags, int32(fd), 0
	e.push(op)
	<-r.done // nobody could end it early
	res := op.Res
	if asked != 0 && res != einval {
		s.recordQueued(e, asked, record.Now(), r, f)
	}
	requests.Put(r)
	if res == einval {
		// Linux AIO says so of a file that has no fsync, and then it is cheap to
		// ask again; it is no error that fsync(2) would report only once.
		p, _ := s.enter(context.Background(), f) // fails only with its context
		return s.plainOn(asked, p, fd, driver.Fsync, f, nil, 0)
	}
	s.stats.add(pathQueued, driver.Fsync, res)
	return res
}

// syncEngine returns the engine for fsyncs of f; nil if there is none.
func (s *Scheduler) syncEngine(f *File) *engine {
	y := &s.fsyncs
	if y.open == nil {
		return nil
	}
	y.opened.Do(func() {
		switch drv := y.open(); drv {
		case nil:
		case s.drv:
			y.engine.Store(s.engine)
		default:
			e := newEngine(drv)
			e.hook = s.hook
			y.places(s.limits.QueuedSyncs, drv.Info().Depth)
			y.engine.Store(e)
		}
	})
	e := y.engine.Load()
	if e == s.engine {
		return s.engineOf(f)
	}
	return e
}

// closeSyncs ends the driver for fsyncs, if there is one of its own. All Syncs
// have ended.
func (s *Scheduler) closeSyncs() error {
	e := s.fsyncs.engine.Load()
	if e == nil || e == s.engine {
		return nil
	}
	e.wait()
	return e.drv.Close()
}
