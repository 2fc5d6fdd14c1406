package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// syncer lets concurrent Syncs and Datasyncs of a file share one call. An fsync
// serves both; an fdatasync serves Datasyncs alone. A call may serve a Sync only
// if it starts after the Sync was called: only then does it cover everything
// that was written before. So while one call runs, the Syncs that arrive form a
// group, and one member makes the next call for all of them.
//
// In this package fsync means either call, unless both are named.
type syncer struct {
	mu          sync.Mutex
	running     bool        // an fsync runs, or a group was told to start one
	next        *syncGroup  // the group that forms meanwhile; nil if it has no member
	commitDelay commitDelay // how long a group waits for more members
	// concurrent reports to writers whether more than one Sync is expected at a
	// time. Written under mu.
	concurrent atomic.Bool
	secondFD   secondFD // for a second fsync at the same time
	// failed is the error of the first fsync that lost data. The kernel reports a
	// failed write-back once and drops the pages (fsync(2), NOTES), so a later
	// fsync may succeed although data is gone. No later Sync or Datasync of this
	// file succeeds.
	failed error
	// forgetsErrors: failed is never set. See ForeignFile.
	forgetsErrors bool
}

// Sync is fsync(2), shared with concurrent Syncs and Datasyncs of f. If ctx ends
// while it waits for its ticket, for its group's fsync or for a permit,
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
	y := &f.syncer
	y.mu.Lock()
	if y.failed != nil {
		defer y.mu.Unlock()
		return y.failed
	}
	switch {
	case !y.running && (y.commitDelay.expected <= 1 || y.usesSecondFD(f)):
		y.running = true
		opens := y.secondFD.fd == 0 && y.usesSecondFD(f)
		y.mu.Unlock()
		if opens {
			s.openSecondFD(f)
		}
		return s.commitAlone(ctx, asked, code, f)
	case y.running && y.next == nil && y.secondFD.serves && !y.secondFD.busy && y.usesSecondFD(f):
		y.secondFD.busy = true
		y.mu.Unlock()
		return s.commitSecondFD(ctx, asked, code, f)
	}
	g, leads := y.join(code)
	y.mu.Unlock()
	if leads {
		return s.commitForGroup(ctx, asked, code, g, f)
	}
	return s.joinGroup(ctx, asked, code, g, f)
}

// joinGroup waits for g's fsync, or makes it if the caller becomes the leader.
func (s *Scheduler) joinGroup(ctx context.Context, asked int64, code driver.Code, g *syncGroup, f *File) error {
	s.startWriteback(f)
	select {
	case <-g.mayLead:
		return s.commitForGroup(ctx, asked, code, g, f)
	case <-g.done:
		s.stats.sharedSync()
		if asked != 0 {
			s.recordShared(asked, code, g, f)
		}
		return g.err
	case <-ctx.Done():
		f.syncer.leave(code, g)
		return ctx.Err()
	}
}

// commitAlone makes the fsync of a Sync that is in no group.
func (s *Scheduler) commitAlone(ctx context.Context, asked int64, code driver.Code, f *File) error {
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		f.syncer.startNext()
		return err
	}
	start := s.now()
	err = s.fsync(w, asked, code, f, f.fd)
	return f.syncer.end(err, 1, s.now()-start)
}

// commitForGroup makes the fsync for g. The caller leads g, as a member with code.
// It closes g to new members before the fsync starts: the fsync might miss what
// a later member has written.
func (s *Scheduler) commitForGroup(ctx context.Context, asked int64, code driver.Code, g *syncGroup, f *File) error {
	y := &f.syncer
	s.waitForGroup(y, g)
	w, err := s.chooseSyncRoute(ctx, f)
	if err != nil {
		g.mayLead <- struct{}{} // for another member; if there is none, leave takes it back
		y.leave(code, g)
		return err
	}
	y.mu.Lock()
	y.next = nil
	members, all := g.members, g.code()
	err = y.failed
	y.mu.Unlock()
	start := s.now()
	g.began = s.hook.Now()
	if err == nil {
		err = s.fsync(w, asked, all, f, f.fd)
	} else {
		s.releaseSyncRoute(w)
	}
	g.ended = s.hook.Now()
	g.err = y.end(err, members, s.now()-start)
	close(g.done)
	return g.err
}

// end records that an fsync ended with err, how many members it served and how
// long it took. It then lets the next group start, or ends that group with err
// if data was lost.
func (y *syncer) end(err error, served int, took time.Duration) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.noteError(err)
	if y.next != nil {
		served += y.next.members
	}
	if lostData(err) {
		y.failNext(err)
	}
	y.startLocked()
	if y.secondFD.busy {
		served++
	}
	// The second descriptor is opened only before an fsync of the File's own
	// description starts. So if it is open now, this fsync started after that.
	y.secondFD.serves = y.secondFD.serves || y.secondFD.fd > 0 && err == nil
	y.commitDelay.expected, y.commitDelay.took = served, took
	if crowded := served > 1; crowded != y.concurrent.Load() {
		y.concurrent.Store(crowded)
	}
	return err
}

// took returns how long the last fsync took.
func (y *syncer) took() time.Duration {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.commitDelay.took
}

// startNext lets the next group start, after an fsync that was given up before it
// was made.
func (y *syncer) startNext() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.startLocked()
}

// startLocked lets the next group start, if there is one. It must be called with mu
// held.
func (y *syncer) startLocked() {
	y.running = y.next != nil
	if y.running {
		y.next.mayLead <- struct{}{}
	}
}

// noteError remembers the first error that lost data, unless forgetsErrors is set.
// It must be called with mu held.
func (y *syncer) noteError(err error) {
	if lostData(err) && y.failed == nil && !y.forgetsErrors {
		y.failed = err
	}
}

// lostData reports whether err may mean that written data did not reach the disk.
// It is false for the errors that mean that no fsync was possible at all. An error
// that fsync(2) does not name may mean anything: FUSE and network file systems
// pass on whatever they get.
func lostData(err error) bool {
	switch err {
	case nil, syscall.EINVAL, syscall.EROFS, syscall.EBADF, syscall.ENOSYS, syscall.EOPNOTSUPP:
		return false
	}
	return true
}
