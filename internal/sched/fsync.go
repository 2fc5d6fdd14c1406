package sched

import (
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
// call, for which there is a place at the gate.
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
			return syncWay{engine: e}, nil
		}
	}
	p, err := s.enter(ctx, f)
	if err != nil {
		s.fsyncs.inline.Add(-1)
	}
	return syncWay{pass: p}, err
}

// forgoSync gives back what admitSync has taken.
func (s *Scheduler) forgoSync(w syncWay) {
	if w.engine == nil {
		s.fsyncs.inline.Add(-1)
		s.gate.leave(w.pass)
	}
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
