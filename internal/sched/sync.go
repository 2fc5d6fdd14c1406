package sched

import (
	"context"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// syncer lets concurrent Syncs of a file share an fsync. A Sync may only share
// one that starts after the Sync was called: what was written before is then
// in it. So while one fsync runs, the Syncs that arrive gather in a group,
// and one of them makes the next fsync for all.
type syncer struct {
	mu      sync.Mutex
	running bool       // an fsync is being made, or a group has been told to
	next    *syncGroup // gathers meanwhile; nil if nobody has come
	// failed is the error of the first fsync that lost data. The kernel
	// reports a failed write-back once and drops the pages (fsync(2), NOTES),
	// so that a later fsync may say success of data that is gone: no later
	// Sync of this file does.
	failed error
}

// syncGroup is the Syncs that share an fsync.
type syncGroup struct {
	lead    chan struct{} // holds a value when the group may start: who takes it leads
	done    chan struct{} // closed when err is there
	err     error
	members int // who has joined and not left. Under syncer.mu
}

// Sync is fsync(2), shared with concurrent Syncs of f. It returns early with
// ctx's error only while it waits for another's fsync. The caller uses f.
func (s *Scheduler) Sync(ctx context.Context, f *File) error {
	y := &f.syncer
	y.mu.Lock()
	if y.failed != nil {
		defer y.mu.Unlock()
		return y.failed
	}
	if !y.running {
		y.running = true
		y.mu.Unlock()
		return y.end(s.fsync(f))
	}
	if y.next == nil {
		y.next = &syncGroup{lead: make(chan struct{}, 1), done: make(chan struct{})}
	}
	g := y.next
	g.members++
	y.mu.Unlock()
	select {
	case <-g.lead:
		return s.syncFor(g, f)
	case <-g.done:
		s.stats.sharedSync()
		return g.err
	case <-ctx.Done():
		y.leave(g)
		return ctx.Err()
	}
}

// syncFor makes the fsync for g's members. Who joins a group joins before it
// has started, so g is closed to newcomers first.
func (s *Scheduler) syncFor(g *syncGroup, f *File) error {
	y := &f.syncer
	y.mu.Lock()
	y.next = nil
	err := y.failed
	y.mu.Unlock()
	if err == nil {
		err = s.fsync(f)
	}
	g.err = y.end(err)
	close(g.done)
	return g.err
}

// end notes how an fsync ended and lets the group that has gathered start.
func (y *syncer) end(err error) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	if lostData(err) && y.failed == nil {
		y.failed = err
	}
	y.running = y.next != nil
	if y.running {
		y.next.lead <- struct{}{}
	}
	return err
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

// lostData tells whether err means that written data did not reach the disk,
// rather than that fsync was not possible at all (EINVAL, EROFS).
func lostData(err error) bool {
	switch err {
	case syscall.EIO, syscall.ENOSPC, syscall.EDQUOT:
		return true
	}
	return false
}

func (s *Scheduler) fsync(f *File) error {
	if res := s.blocking(context.Background(), driver.Fsync, f, nil, 0); res < 0 {
		return syscall.Errno(-res)
	}
	return nil
}
