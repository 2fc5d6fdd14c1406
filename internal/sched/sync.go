package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// syncer lets concurrent Syncs of a file share an fsync. A Sync may only share
// one that starts after the Sync was called: what was written before is then
// in it. So while one fsync runs, the Syncs that arrive gather in a group,
// and one of them makes the next fsync for all.
type syncer struct {
	mu      sync.Mutex
	running bool       // an fsync is being made, or a group has been told to
	next    *syncGroup // gathers meanwhile; nil if nobody has come
	muster  muster     // how long a group is waited for
	// crowded tells writers whether more than one Sync is expected at a time.
	// Written under mu.
	crowded atomic.Bool
	twin    twin // for a second fsync at the same time
	// failed is the error of the first fsync that lost data. The kernel
	// reports a failed write-back once and drops the pages (fsync(2), NOTES),
	// so that a later fsync may say success of data that is gone: no later
	// Sync of this file does.
	failed error
	// forgets: failed is not kept. See Borrow.
	forgets bool
}

// syncGroup is the Syncs that share an fsync.
type syncGroup struct {
	lead    chan struct{} // holds a value when the group may start: who takes it leads
	done    chan struct{} // closed when err is there
	err     error
	members int // who has joined and not left. Under syncer.mu
	// began and ended are the fsync's times, for the record. Written before
	// done is closed.
	began, ended int64
}

func newSyncGroup() *syncGroup {
	return &syncGroup{lead: make(chan struct{}, 1), done: make(chan struct{})}
}

// Sync is fsync(2), shared with concurrent Syncs of f. It returns early with
// ctx's error while it waits for its turn, for another's fsync or for a place at the
// gate, not once it makes its own. The caller uses f.
func (s *Scheduler) Sync(ctx context.Context, f *File) error {
	if s.classed.Load() {
		return s.syncInTurn(ctx, f, s.syncNow)
	}
	return s.syncNow(ctx, f)
}

// syncNow is Sync of what has its turn, or needs none.
func (s *Scheduler) syncNow(ctx context.Context, f *File) error {
	asked := s.hook.Now()
	y := &f.syncer
	y.mu.Lock()
	if y.failed != nil {
		defer y.mu.Unlock()
		return y.failed
	}
	switch {
	case !y.running && (y.muster.expected <= 1 || y.pairs(f)):
		y.running = true
		opens := y.twin.fd == 0 && y.pairs(f)
		y.mu.Unlock()
		if opens {
			s.openTwin(f)
		}
		return s.syncAlone(ctx, asked, f)
	case y.running && y.next == nil && y.twin.serves && !y.twin.busy && y.pairs(f):
		y.twin.busy = true
		y.mu.Unlock()
		return s.syncTwin(ctx, asked, f)
	}
	g, leads := y.join()
	y.mu.Unlock()
	if leads {
		return s.syncFor(ctx, asked, g, f)
	}
	return s.share(ctx, asked, f, g)
}

// join joins the group that gathers, or a new one. It tells whether the caller
// is to lead it, as no fsync runs. Under mu.
func (y *syncer) join() (g *syncGroup, leads bool) {
	if y.next == nil {
		y.next = newSyncGroup()
	}
	y.next.members++
	leads = !y.running
	y.running = true
	return y.next, leads
}

// share waits for g's fsync, or makes it if nobody else does.
func (s *Scheduler) share(ctx context.Context, asked int64, f *File, g *syncGroup) error {
	s.startWriteback(f)
	select {
	case <-g.lead:
		return s.syncFor(ctx, asked, g, f)
	case <-g.done:
		s.stats.sharedSync()
		if asked != 0 {
			s.recordShared(asked, f, g)
		}
		return g.err
	case <-ctx.Done():
		f.syncer.leave(g)
		return ctx.Err()
	}
}

// syncAlone makes the fsync of one that nobody has come with.
func (s *Scheduler) syncAlone(ctx context.Context, asked int64, f *File) error {
	e, err := s.admitSync(ctx, f)
	if err != nil {
		f.syncer.handOn()
		return err
	}
	start := s.now()
	err = s.fsync(e, asked, f, f.fd)
	return f.syncer.end(err, 1, s.now()-start)
}

// syncFor makes the fsync for g's members. Who joins a group joins before it
// has started, so g is closed to newcomers first.
func (s *Scheduler) syncFor(ctx context.Context, asked int64, g *syncGroup, f *File) error {
	y := &f.syncer
	s.gather(y, g)
	e, err := s.admitSync(ctx, f)
	if err != nil {
		g.lead <- struct{}{} // another member's, or leave takes it back
		y.leave(g)
		return err
	}
	y.mu.Lock()
	y.next = nil
	members := g.members
	err = y.failed
	y.mu.Unlock()
	start := s.now()
	g.began = s.hook.Now()
	if err == nil {
		err = s.fsync(e, asked, f, f.fd)
	} else {
		s.forgoSync(e)
	}
	g.ended = s.hook.Now()
	g.err = y.end(err, members, s.now()-start)
	close(g.done)
	return g.err
}

// end notes how an fsync ended, that it has served so many and what it took,
// and lets the group that has gathered start.
func (y *syncer) end(err error, served int, took time.Duration) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.note(err)
	if y.next != nil {
		served += y.next.members
	}
	y.start()
	if y.twin.busy {
		served++
	}
	// An fsync of the File's own description that starts while the twin is
	// open starts after it was opened.
	y.twin.serves = y.twin.serves || y.twin.fd > 0 && err == nil
	y.muster.expected, y.muster.took = served, took
	if crowded := served > 1; crowded != y.crowded.Load() {
		y.crowded.Store(crowded)
	}
	return err
}

// took is how long the last fsync took.
func (y *syncer) took() time.Duration {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.muster.took
}

// handOn lets the group that has gathered start, in the place of one that has
// made no fsync.
func (y *syncer) handOn() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.start()
}

// start lets the group that has gathered start, if there is one. Under mu.
func (y *syncer) start() {
	y.running = y.next != nil
	if y.running {
		y.next.lead <- struct{}{}
	}
}

// note remembers an error that lost data, unless it is to forget. Under mu.
func (y *syncer) note(err error) {
	if lostData(err) && y.failed == nil && !y.forgets {
		y.failed = err
	}
}

// leave takes a member out of g. With the last one goes the group, and the
// permission to start that it may have.
func (y *syncer) leave(g *syncGroup) {
	y.mu.Lock()
	defer y.mu.Unlock()
	g.members--
	if g.members > 0 || y.next != g {
		return
	}
	y.next = nil
	select {
	case <-g.lead:
		y.running = false
	default:
	}
}

// lostData tells whether err may mean that written data did not reach the
// disk, rather than that fsync was not possible at all. What fsync(2) does not
// name (FUSE and network file systems pass on what they get) may mean anything.
func lostData(err error) bool {
	switch err {
	case nil, syscall.EINVAL, syscall.EROFS, syscall.EBADF, syscall.ENOSYS, syscall.EOPNOTSUPP:
		return false
	}
	return true
}
