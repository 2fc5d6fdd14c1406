package sched

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// syncGroup is a group of Syncs and Datasyncs that share one call.
type syncGroup struct {
	mayLead chan struct{} // holds a value when the group may start; the member that takes it leads
	done    chan struct{} // closed once err is set
	err     error
	// members is how many have joined and not left; syncs is how many of them are
	// Syncs. Both are guarded by syncer.mu.
	members, syncs int
	// began and ended are the call's times, for the record. Written before done is
	// closed.
	began, ended int64
}

func newSyncGroup() *syncGroup {
	return &syncGroup{mayLead: make(chan struct{}, 1), done: make(chan struct{})}
}

// code returns the call that serves all members: fsync if one of them is a Sync. It
// must be called with syncer.mu held.
func (g *syncGroup) code() driver.Code {
	if g.syncs > 0 {
		return driver.Fsync
	}
	return driver.Fdatasync
}

// add counts n more members with code. It must be called with syncer.mu held.
func (g *syncGroup) add(n int, code driver.Code) {
	g.members += n
	if code == driver.Fsync {
		g.syncs += n
	}
}

// join makes the caller a member of the next group. Leads reports whether the
// caller must lead the group, because no fsync runs whose end would start it. It
// must be called with mu held.
func (y *syncer) join(code driver.Code) (g *syncGroup, leads bool) {
	if y.next == nil {
		y.next = newSyncGroup()
	}
	y.next.add(1, code)
	leads = !y.running
	y.running = true
	return y.next, leads
}

// leave removes a member with code from g. The last member to leave removes g, and
// takes back the permission to start that g may have been given: nobody is left to
// use it.
func (y *syncer) leave(code driver.Code, g *syncGroup) {
	y.mu.Lock()
	defer y.mu.Unlock()
	g.add(-1, code)
	if g.members > 0 || y.next != g {
		return
	}
	y.next = nil
	select {
	case <-g.mayLead:
		y.running = false
	default:
	}
}

// failNext ends the next group with err, the error of the fsync that ran while the
// group formed. The members called Sync before anyone was told of the loss, so
// their data may be part of it, and the kernel would not report it to their own
// fsync. The group has no leader yet: until now the fsync has kept running set. It
// must be called with mu held.
func (y *syncer) failNext(err error) {
	g := y.next
	if g == nil {
		return
	}
	y.next = nil
	g.err = err
	g.began = record.Now()
	g.ended = g.began
	close(g.done)
}
