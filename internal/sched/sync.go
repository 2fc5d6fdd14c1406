package sched

import (
	"context"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/record"
)

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

// syncing is a Sync or Datasync in progress. It makes groupcommit's system calls.
type syncing struct {
	s     *Scheduler
	f     *File
	asked int64 // for the record, or 0
	// The fsync goes through engine, or is a plain call with a permit if engine is nil. Both are
	// set from Admit until Fsync or Withdraw.
	engine *ioengine.Engine
	permit budget.Permit
}

// Reopen opens another description of the file.
func (c *syncing) Reopen() int { return c.s.reopen(c.f.FD) }

// Now returns the Scheduler's time.
func (c *syncing) Now() time.Duration { return c.s.paths.Clock() }

// Processors returns what the leaders of rings, and of groups, know of the processors.
func (c *syncing) Processors() *pressure.Signal { return &c.s.paths.Engines.Processors }

// StartWriteback starts the write-back of the bytes that no fsync covers yet, if a permit is free.
// sync_file_range(2) without its waiting flags takes no error of a write-back away from the next
// fsync. Where it cannot start one, that fsync fails (Syncer.Writeback).
func (c *syncing) StartWriteback() {
	s, f := c.s, c.f
	p, ok := s.DeviceOf(f).Budget.TryAcquire(budget.Syncs)
	if !ok {
		return
	}
	defer p.Release()
	if f.Syncer.TakeUnsynced() { // not before: without a permit the bytes still count
		s.startWriteback(f, func() int32 { return s.paths.Call(iopath.Writeback, f.FD, nil, 0) })
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
// data, or the call's, where the file system could not begin. Callers use Block.
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
