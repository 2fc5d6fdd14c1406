package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/record"
)

// LostData reports whether err, of an fsync, may mean that written data did not reach the disk.
func LostData(err error) bool { return groupcommit.LostData(err) }

// Sync is fsync(2), shared with concurrent Syncs and Datasyncs of f (package groupcommit). If ctx
// ends while it waits for its ticket, for its group's fsync or for a permit, it returns ctx's
// error. Once it makes the fsync itself it does not return early. The caller uses f (File.Use).
func (s *Scheduler) Sync(ctx context.Context, f *File) error {
	return s.commit(ctx, driver.Fsync, f)
}

// Datasync is fdatasync(2), shared in the same way: together with a Sync it is an fsync.
func (s *Scheduler) Datasync(ctx context.Context, f *File) error {
	return s.commit(ctx, driver.Fdatasync, f)
}

// commit is Sync or Datasync, as code says. With classes it is an operation of its class, of no
// bytes and outside the cap, also if it shares its fsync. It waits for its ticket before it joins a
// group, so that no member waits for the limits of another's class.
func (s *Scheduler) commit(ctx context.Context, code driver.Code, f *File) error {
	if s.paths.Classes.Active() {
		class := s.ClassOf(ctx, f)
		f = s.paths.ViewForRecord(f, class)
		t, res := s.paths.QueueOf(f).Take(ctx, class, f.Owner(), 0, fair.OutsideCap)
		if t == nil {
			return errorOf(ctx, res)
		}
		defer t.End(0)
	}
	c := s.syncings.Get(func() *syncing { return new(syncing) })
	*c = syncing{s: s, f: f, asked: s.paths.Recording.Now()}
	by, err := f.Syncer.Do(ctx, code, c)
	if by != nil {
		s.paths.Counters.SharedSync()
		if c.asked != 0 {
			s.paths.RecordShared(c.asked, code, by, f)
		}
	}
	c.f = nil
	s.syncings.Put(c)
	return err
}

// syncing is a Sync or Datasync in progress, and its groupcommit.Caller.
type syncing struct {
	s     *Scheduler
	f     *File
	asked int64 // for the record, or 0
	// The fsync goes through engine, or is a plain call with a permit if engine is nil. Admit sets
	// one of them, or neither if it fails.
	engine *ioengine.Engine
	permit budget.Permit
}

func (c *syncing) Now() time.Duration { return c.s.paths.Clock() }

func (c *syncing) Processors() *pressure.Signal { return &c.s.paths.Engines.Processors }

func (c *syncing) StartWriteback() {
	s, f := c.s, c.f
	p, ok := s.DeviceOf(f).Budget.TryAcquire(budget.Syncs)
	if !ok {
		return
	}
	defer p.Release()
	if f.Syncer.TakeUnsynced() { // not before: without a permit the bytes still count
		s.startWriteback(f, func() int32 { return s.startRange(f.FD, 0, 0) })
	}
}

// startWriteback makes call, which starts a write-back of f, and returns its result. If it fails,
// Syncs fail, and writes with O_SYNC that are in progress.
func (s *Scheduler) startWriteback(f *File, call func() int32) int32 {
	return f.Syncer.Writeback(func() int32 {
		start, write := s.paths.Recording.Now(), f.LostWrites.Begin()
		res := call()
		s.paths.Recording.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
		f.LostWrites.End(write, res)
		return res
	})
}

// SyncRange starts the write-back of the dirty pages of the n bytes at off, and does not wait for
// it. If n is 0 the bytes reach to the end of the file. The error is an earlier fsync's that lost
// data, or the call's, where the file system could not begin. Callers use WithPermit.
func (s *Scheduler) SyncRange(f *File, off, n int64) error {
	if err := f.Syncer.Failed(); err != nil {
		return err
	}
	res := s.startWriteback(f, func() int32 { return s.startRange(f.FD, off, n) })
	if res < 0 && res != enosys { // as in a sandbox: the next Sync has more to write
		return syscall.Errno(-res)
	}
	return nil
}

// fsyncs has the driver for the fsyncs that are queued, if there is one that makes them without a
// thread of the process. Each device's governor measures whether plain calls are better.
type fsyncs struct {
	open   func() driver.Driver // see SetSyncDriver; nil if there is no driver
	opened sync.Once
	// engine is the Engine of the driver that open has returned, for all devices. It is nil before
	// open is called, and if open returned nil.
	engine atomic.Pointer[ioengine.Engine]
	most   int32        // how many fsyncs the driver has at once. Written by opened
	queued atomic.Int32 // how many it has
}

// placesOf returns d's places in the driver, half of all.
func (y *fsyncs) placesOf(d *device.Device) chan struct{} { return d.SyncPlaces(max(1, int(y.most)/2)) }

// takePlace waits for a place of d in the driver, or for ctx's end, whose error it returns. Ok is
// false if other devices have all the driver's places.
func (y *fsyncs) takePlace(ctx context.Context, d *device.Device) (ok bool, err error) {
	select {
	case y.placesOf(d) <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if y.queued.Add(1) <= y.most {
		return true, nil
	}
	y.leavePlace(d)
	return false, nil
}

func (y *fsyncs) leavePlace(d *device.Device) {
	y.queued.Add(-1)
	<-y.placesOf(d)
}

// SetSyncDriver has the fsyncs that are queued made by the driver that open returns. Open is called
// once, when the driver is first needed. It may return nil for none. The Scheduler closes the
// driver, which makes nothing but fsyncs. SetSyncDriver must be called before the first Sync, or by
// the function that chooses the Scheduler's driver (Paths.Ready).
func (s *Scheduler) SetSyncDriver(open func() driver.Driver) { s.fsyncs.open = open }

// Admit decides how the fsync is made, and waits for the permit that this needs, or for ctx's end.
func (c *syncing) Admit(ctx context.Context) (err error) {
	s, y, d := c.s, &c.s.fsyncs, c.s.DeviceOf(c.f)
	running := d.Syncing.Add(1) - 1
	if !s.paths.IsReady() || y.open != nil { // else plain calls are all there is
		var ok bool
		if c.permit, ok = s.tryPlainSync(d, running, ctx.Done() != nil); ok {
			return nil
		}
	}
	s.Ready() // choosing the driver may call SetSyncDriver
	if e := s.syncEngine(); e != nil {
		var ok bool
		if ok, err = y.takePlace(ctx, d); ok {
			c.engine = e
			return nil
		}
	}
	if err == nil {
		c.permit, err = s.paths.AcquirePermit(ctx, budget.Syncs, c.f)
	}
	if err != nil {
		d.Syncing.Add(-1)
	}
	return err
}

// tryPlainSync takes a permit for an fsync on d, beside running others, if it is to be a plain call
// although it could be queued. None is while a ring has a leader, if the driver does not complete
// alone (docs/decisions/0012-tied-threads.md). Ends says that the fsync's context can end.
func (s *Scheduler) tryPlainSync(d *device.Device, running int32, ends bool) (budget.Permit, bool) {
	if s.paths.Engines.HasLeader() && !s.paths.Driver.CompletesAlone {
		return budget.Permit{}, false
	}
	if s.paths.Govern && !s.taken(d, governor.Syncs) {
		s.countWith(syncJournal{journal{s}}, d, governor.Syncs, false)
	}
	return d.Budget.TryAcquireOfKind(budget.Syncs, s.room(d, governor.Syncs, running), ends)
}

// syncJournal is the journal of governors of fsyncs.
type syncJournal struct{ journal }

// ProbeProcessors returns false: goroutines that compute are no reason to queue fsyncs.
func (syncJournal) ProbeProcessors() bool { return false }

// Computes returns false for the same reason.
func (syncJournal) Computes() bool { return false }

// Fsync makes an fsync or fdatasync, as code says, as Admit has decided.
func (c *syncing) Fsync(code driver.Code) (m groupcommit.Made) {
	s, d, start := c.s, c.s.DeviceOf(c.f), c.s.paths.Clock()
	m.Began = s.paths.Recording.Now()
	call := c.f.LostWrites.Begin()
	var res int32
	if c.engine == nil {
		res = s.paths.PlainCall(c.asked, iopath.Plain{}, code, c.f, nil, 0)
	} else {
		res = c.queue(code)
		s.fsyncs.leavePlace(d)
	}
	c.permit.Release()
	d.Syncing.Add(-1)
	c.f.LostWrites.End(call, res)
	if res < 0 {
		m.Err = syscall.Errno(-res)
	}
	m.Ended = s.paths.Recording.Now()
	m.Took = s.paths.Clock() - start
	return m
}

// queue makes the fsync through the engine, or by a plain call if the engine refuses it.
func (c *syncing) queue(code driver.Code) int32 {
	s := c.s
	r := s.paths.Requests.New()
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off = code, c.f.Flags, int32(c.f.FD), 0
	c.engine.Push(r)
	r.Wait(context.Background()) // this context does not end: nothing ends an fsync early
	defer r.Free()
	switch op.Res {
	case einval, ecanceled, eagain, eintr:
		// Linux AIO returns EINVAL for a file that has no fsync. Asking again is cheap then, and
		// loses no error, as fsync(2) reports EINVAL more than once. A lost driver returns
		// ECANCELED for an operation that it has not begun, and EAGAIN if the kernel has no memory
		// for it (io_submit(2)) and it must not wait in a thread. After EINTR fsync(2) is repeated.
		//
		// AcquirePermit fails only when its context ends, and this one does not.
		c.permit, _ = s.paths.AcquirePermit(context.Background(), budget.Syncs, c.f)
		return s.paths.PlainCall(c.asked, iopath.Plain{}, code, c.f, nil, 0)
	}
	if c.asked != 0 {
		s.paths.RecordQueued(c.asked, record.Now(), r, c.f)
	}
	s.paths.Count(counters.Queued, code, c.f, op.Res)
	return op.Res
}

// syncEngine returns the engine of the driver for fsyncs, or nil if there is none or it is lost.
func (s *Scheduler) syncEngine() *ioengine.Engine {
	y := &s.fsyncs
	if y.open == nil {
		return nil
	}
	y.opened.Do(func() {
		if drv := y.open(); drv != nil {
			e := ioengine.New(drv, &s.paths.Engines, s.paths.Recording)
			y.most = int32(drv.Info().Depth)
			y.engine.Store(e)
		}
	})
	if e := y.engine.Load(); e != nil && !e.Lost() {
		return e
	}
	return nil
}
