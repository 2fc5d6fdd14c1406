package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
)

// Sync is fsync(2), shared with concurrent Syncs and Datasyncs of f (package groupcommit). If
// ctx ends while it waits for its ticket, for its group's fsync or for a permit,
// it returns ctx's error. Once it makes the fsync itself it does not return early.
// The caller uses f (File.Use).
func (s *Scheduler) Sync(ctx context.Context, f *File) error {
	return s.commit(ctx, driver.Fsync, f)
}

// Datasync is fdatasync(2), shared in the same way: together with a Sync it is an fsync.
func (s *Scheduler) Datasync(ctx context.Context, f *File) error {
	return s.commit(ctx, driver.Fdatasync, f)
}

// commit is Sync or Datasync, as code says.
func (s *Scheduler) commit(ctx context.Context, code driver.Code, f *File) error {
	if s.classes.Active() {
		return s.commitByClass(ctx, code, f)
	}
	return s.commitNow(ctx, code, f)
}

// commitNow is commit once the operation has its ticket, or needs none.
func (s *Scheduler) commitNow(ctx context.Context, code driver.Code, f *File) error {
	asked := s.hook.Now()
	role, g, err := f.syncer.Begin(code)
	if err != nil {
		return err
	}
	switch role {
	case groupcommit.Opener:
		f.syncer.OpenSecondFD(s.reopen(f.fd))
		return s.commitAlone(ctx, asked, code, f)
	case groupcommit.Second:
		return s.commitSecondFD(ctx, asked, code, f)
	case groupcommit.Leader:
		return s.commitForGroup(ctx, asked, code, g, f)
	case groupcommit.Member:
		return s.joinGroup(ctx, asked, code, g, f)
	}
	return s.commitAlone(ctx, asked, code, f)
}

// joinGroup waits for g's fsync, or makes it if the caller becomes the leader.
func (s *Scheduler) joinGroup(ctx context.Context, asked int64, code driver.Code, g *groupcommit.Group, f *File) error {
	s.startWriteback(f)
	leads, left, err := f.syncer.Wait(ctx, code, g)
	switch {
	case leads:
		return s.commitForGroup(ctx, asked, code, g, f)
	case !left:
		s.stats.SharedSync()
		if asked != 0 {
			s.recordShared(asked, code, g, f)
		}
	}
	return err
}

// commitAlone makes the fsync of a Sync that is in no group.
func (s *Scheduler) commitAlone(ctx context.Context, asked int64, code driver.Code, f *File) error {
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		f.syncer.GiveUp()
		return err
	}
	start := s.now()
	err = s.fsync(w, asked, code, f, f.fd)
	return f.syncer.End(err, s.now()-start)
}

// commitForGroup makes the fsync for g. The caller leads g, as a member with code.
func (s *Scheduler) commitForGroup(ctx context.Context, asked int64, code driver.Code, g *groupcommit.Group, f *File) error {
	y := &f.syncer
	y.Gather(g, s.now)
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		y.LeaveLead(code, g)
		return err
	}
	all, err := y.StartGroup(g)
	start := s.now()
	g.Began = s.hook.Now()
	if err == nil {
		err = s.fsync(w, asked, all, f, f.fd)
	} else {
		s.releaseSyncRoute(w)
	}
	g.Ended = s.hook.Now()
	return y.EndGroup(g, err, s.now()-start)
}

// commitSecondFD makes an fsync or fdatasync on the second descriptor, beside the
// fsync that runs.
func (s *Scheduler) commitSecondFD(ctx context.Context, asked int64, code driver.Code, f *File) error {
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		f.syncer.EndSecond(nil, false)
		return err
	}
	err = s.fsync(w, asked, code, f, f.syncer.SecondFD())
	f.syncer.EndSecond(err, true)
	return err
}

// writeback is the code of the call that starts the write-back of a file's dirty
// pages and does not wait for it. It is the scheduler's own: no driver knows it.
const writeback = driver.NumCodes

// startWriteback starts the write-back of the bytes that no fsync covers yet, if that is worth
// it. It is only a help: the next fsync still finds out whether the pages were written.
// sync_file_range(2) without its waiting flags does not take a write-back error away
// from that fsync.
func (s *Scheduler) startWriteback(f *File) {
	if f.syncer.StartsWriteback() && s.limiter.TryAcquire() {
		start := s.hook.Now()
		res := s.call(writeback, f.fd, nil, 0)
		s.hook.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
		s.limiter.Release(limiter.Permit{})
		f.syncer.NoteWriteback(res)
	}
}

// beginWrite records that a transfer begins, if it is a write. Its result must be
// passed to endWrite.
func (f *File) beginWrite(code driver.Code) (call uint64) {
	if code == driver.Write {
		call = f.losses.Begin()
	}
	return call
}

// endWrite records that the transfer has ended with res.
func (f *File) endWrite(code driver.Code, call uint64, res int32) {
	if code == driver.Write {
		f.losses.End(call, res)
		if f.flags&driver.Direct == 0 {
			f.syncer.Written(int(res))
		}
	}
}
