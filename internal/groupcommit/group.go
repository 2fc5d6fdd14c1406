package groupcommit

import (
	"runtime"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// group is a group of Syncs and Datasyncs that share one call.
type group struct {
	mayLead chan struct{} // holds a value when the group may start; the member that takes it leads
	// done has values once made is set. Each member that waits takes a value and puts it back,
	// which wakes the next one: there is a relay of members for each processor. Woken all at once,
	// by a close, they would let in goroutines that compute, each for a time slice, as one in 61 of
	// the goroutines that a processor runs comes from the runtime's global queue.
	done chan struct{}
	made Made // how its fsync has ended. Written by end
	// members is how many have joined and not left; syncs is how many of them are
	// Syncs. Both are guarded by Syncer.mu.
	members, syncs int
	// wanted: so many members wake the leader, by enough; 0 if it does not wait. Both are under
	// Syncer.mu.
	wanted int
	enough chan struct{}
}

func newGroup() *group {
	return &group{mayLead: make(chan struct{}, 1), done: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// end ends g with made, its fsync, and wakes the members. It must be called with Syncer.mu held.
func (g *group) end(made Made) {
	g.made = made
	for range min(g.members, cap(g.done)) {
		g.done <- struct{}{}
	}
}

// code returns the call that serves all members. It must be called with Syncer.mu held.
func (g *group) code() driver.Code {
	if g.syncs > 0 {
		return driver.Fsync
	}
	return driver.Fdatasync
}

// add counts n more members with code. It must be called with Syncer.mu held.
func (g *group) add(n int, code driver.Code) {
	g.members += n
	if code == driver.Fsync {
		g.syncs += n
	}
}

// leave removes a member with code from g. The last member to leave removes g, and takes back the
// permission to start that g may have been given: nobody is left to use it.
func (s *Syncer) leave(code driver.Code, g *group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.add(-1, code)
	if g.members > 0 || s.next != g {
		return
	}
	s.next = nil
	select {
	case <-g.mayLead:
		s.running = false
	default:
	}
}

// startNext lets the next group start, if there is one. If err, the error of the fsync that ran
// while the group formed, has lost data, startNext ends the group with err: its members called Sync
// before the loss was reported to anyone, so their data may be part of it, and the kernel would not
// report it to their own fsync. It must be called with mu held, by the caller that has set running.
func (s *Syncer) startNext(err error) {
	g := s.next
	s.running = g != nil && !LostData(err)
	switch {
	case s.running:
		g.mayLead <- struct{}{}
	case g != nil:
		s.next = nil
		now := record.Now()
		g.end(Made{Err: err, Began: now, Ended: now})
	}
}
