package sched

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
)

// LostData reports whether err, of an fsync, may mean that written data did not reach the disk.
func LostData(err error) bool { return groupcommit.LostData(err) }

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
	if s.Classes.Active() {
		return s.commitWithTicket(ctx, code, f)
	}
	return s.commitNow(ctx, code, f)
}

// commitNow is commit once the operation has its ticket, or needs none.
func (s *Scheduler) commitNow(ctx context.Context, code driver.Code, f *File) error {
	asked := s.Recording.Now()
	role, g, err := f.Syncer.Begin(code)
	if err != nil {
		return err
	}
	switch role {
	case groupcommit.Opener:
		f.Syncer.OpenSecondFD(s.reopen(f.FD))
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
	leads, left, err := f.Syncer.Wait(ctx, code, g)
	switch {
	case leads:
		return s.commitForGroup(ctx, asked, code, g, f)
	case !left:
		s.Counters.SharedSync()
		if asked != 0 {
			s.RecordShared(asked, code, g, f)
		}
	}
	return err
}

// commitAlone makes the fsync of a Sync that is in no group.
func (s *Scheduler) commitAlone(ctx context.Context, asked int64, code driver.Code, f *File) error {
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		f.Syncer.GiveUp()
		return err
	}
	start := s.Clock()
	err = s.fsync(w, asked, code, f, f.FD)
	return f.Syncer.End(err, s.syncTook(start))
}

// commitForGroup makes the fsync for g. The caller leads g, as a member with code.
func (s *Scheduler) commitForGroup(ctx context.Context, asked int64, code driver.Code, g *groupcommit.Group, f *File) error {
	syncer := &f.Syncer
	syncer.WaitForGroup(g, s.Clock)
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		syncer.LeaveLead(code, g)
		return err
	}
	all, err := syncer.StartGroup(g)
	start := s.Clock()
	g.Began = s.Recording.Now()
	if err == nil {
		err = s.fsync(w, asked, all, f, f.FD)
	} else {
		s.releaseSyncRoute(w)
	}
	g.Ended = s.Recording.Now()
	return syncer.EndGroup(g, err, s.syncTook(start))
}

// commitSecondFD makes an fsync or fdatasync on the second descriptor, beside the
// fsync that runs.
func (s *Scheduler) commitSecondFD(ctx context.Context, asked int64, code driver.Code, f *File) error {
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		f.Syncer.GiveUpSecond()
		return err
	}
	return f.Syncer.EndSecond(s.fsync(w, asked, code, f, f.Syncer.SecondFD()))
}

// startWriteback starts the write-back of the bytes that no fsync covers yet, if that is worth
// it. sync_file_range(2) without its waiting flags takes no error of a write-back away from the next fsync. Where
// it cannot start one, that fsync fails (EndWriteback).
func (s *Scheduler) startWriteback(f *File) {
	if !f.Syncer.NeedsWriteback() || !s.Limiter.TryAcquire() {
		return
	}
	defer s.Limiter.Release(limiter.Permit{})
	if !f.Syncer.TakeWriteback() { // not before: without a permit the bytes still count
		return
	}
	start := s.Recording.Now()
	res := s.Call(iopath.Writeback, f.FD, nil, 0)
	s.Recording.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
	f.Syncer.EndWriteback(res)
}

// SyncRange starts the write-back of the dirty pages of the n bytes at off, and does not
// wait for it. If n is 0 these reach to the end of the file. The error is that of an
// earlier fsync that lost data, or of the call, where the file system could not begin.
// It is called by way of Block.
func (s *Scheduler) SyncRange(f *File, off, n int64) error {
	if err := f.Syncer.Failed(); err != nil {
		return err
	}
	f.Syncer.BeginWriteback()
	start := s.Recording.Now()
	res := s.startRange(f.FD, off, n)
	s.Recording.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
	f.Syncer.EndWriteback(res)
	if res < 0 && res != enosys { // as in a sandbox: the next Sync has more to write
		return syscall.Errno(-res)
	}
	return nil
}
