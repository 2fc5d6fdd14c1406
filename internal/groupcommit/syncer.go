package groupcommit

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/probe"
)

// Syncer lets concurrent Syncs and Datasyncs of a file share one fsync. Its zero value is ready.
type Syncer struct {
	mu      probe.Mutex
	running bool        // an fsync runs, or a group was told to start one
	next    *group      // the group that forms meanwhile; nil if it has no member
	delay   commitDelay // how long a group waits for more members
	// enough wakes the leader that waits for members. It is made when a leader first waits.
	enough chan struct{}
	// concurrent is true while more than one Sync is expected at a time (delay.expected), for
	// writers, which do not lock mu. Written under mu.
	concurrent atomic.Bool
	second     secondFD // for a second fsync at the same time
	// failed is the error of the first fsync that lost data. The kernel reports a failed write-back
	// once and drops the pages (fsync(2), NOTES), so a later fsync may succeed although data is
	// gone. No later Sync or Datasync of this file succeeds.
	failed error
	// forgetsErrors: failed is never set. See Options.ForgetErrors.
	forgetsErrors bool
	// writebacks are being started. unreported is the error of one, which the kernel reports to no
	// fsync: those that run fail with it, or else the next one. Both are guarded by mu.
	writebacks calls
	unreported error
	// unsynced counts the bytes that were written to the page cache since the last fsync
	// began, or since the last early write-back did. It is counted only while Syncs overlap
	// (concurrent), and roughly: it decides what is worth while, and nothing depends on it.
	unsynced atomic.Int64
}

// Options configures a Syncer.
type Options struct {
	// ForgetErrors has a Sync succeed if its own fsync does, whatever earlier ones have lost. Then
	// there can be no second descriptor: see afterWritebacks.
	ForgetErrors bool
	// Expected is how many Syncs the first group waits for, and Window is how long it waits for
	// each at least. Both are for tests.
	Expected int
	Window   time.Duration
}

// Init makes s a Syncer with the options. It must be called before all other methods.
func (s *Syncer) Init(o Options) {
	s.forgetsErrors = o.ForgetErrors
	s.delay = commitDelay{expected: o.Expected, least: o.Window}
	if o.ForgetErrors {
		s.second.state = impossible
	}
}

// role is what the caller of a Sync does.
type role uint8

const (
	alone  role = iota // makes an fsync that serves no other caller
	opener             // opens a second description of the file, and is alone then
	second             // makes an fsync on the second descriptor, beside the one that runs
	leader             // makes the fsync of its group
	member             // waits for the fsync of its group
)

// begin begins a Sync or Datasync, as code says. It returns what the caller does, and the group of
// a leader or member. If an earlier fsync has lost data it returns that error.
func (s *Syncer) begin(code driver.Code) (role, *group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return 0, nil, s.failed
	case !s.running && (s.delay.expected <= 1 || s.usesSecondFD()):
		s.running = true
		if s.second.state == unopened && s.usesSecondFD() {
			return opener, nil, nil
		}
		return alone, nil, nil
	case s.running && s.next == nil && s.second.state == serving && !s.second.busy && s.usesSecondFD():
		s.second.busy = true
		return second, nil, nil
	}
	if s.next == nil {
		s.next = newGroup()
	}
	s.next.add(1, code)
	if s.next.members == s.next.wanted {
		select {
		case s.enough <- struct{}{}:
		default: // it was sent when a member had come that has left since
		}
	}
	does := member
	if !s.running { // no fsync runs whose end would start the group
		does = leader
	}
	s.running = true
	return does, s.next, nil
}

// startGroup closes g to new members: the fsync, which the leader starts now, might miss what
// a later member has written. It returns the call that serves all members. If it returns an
// error, the leader makes no fsync, and calls end with that error.
func (s *Syncer) startGroup(g *group) (driver.Code, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = nil
	return g.code(), s.failed
}

// end records that an fsync has ended: g's, if its caller was the leader. It then lets the next group
// start, or ends that group with the error if data was lost. It returns how the Syncs have ended.
func (s *Syncer) end(does role, g *group, made Made) error {
	err := s.afterWritebacks(made.Err)
	defer s.mu.Unlock()
	s.noteError(err)
	if does == second {
		s.second.busy = false
		return err
	}
	expected := 1
	if does == leader {
		expected = g.members
		made.Err = err
		g.end(made)
	}
	if s.next != nil {
		expected += s.next.members
	}
	if LostData(err) {
		s.failNext(err)
	}
	s.startNext()
	if s.second.busy {
		expected++
	}
	// The second descriptor is opened only before an fsync of the File's own
	// description starts. So if it is open now, this fsync started after that.
	if s.second.state == opened && err == nil {
		s.second.state = serving
	}
	s.delay.expected, s.delay.took = expected, made.Took
	if crowded := expected > 1; crowded != s.concurrent.Load() {
		s.concurrent.Store(crowded)
	}
	return err
}

// startNext lets the next group start, if there is one. It must be called with mu held.
func (s *Syncer) startNext() {
	s.running = s.next != nil
	if s.running {
		s.next.mayLead <- struct{}{}
	}
}

// Concurrent returns a flag that is true while more than one Sync is expected at a time.
func (s *Syncer) Concurrent() *atomic.Bool { return &s.concurrent }

// Members returns how many Syncs wait in the group that forms.
func (s *Syncer) Members() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		return 0
	}
	return s.next.members
}

// Failed returns the error of the first fsync that lost data, or nil.
func (s *Syncer) Failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// noteError remembers the first error that lost data. It must be called with mu held.
func (s *Syncer) noteError(err error) {
	if LostData(err) && s.failed == nil && !s.forgetsErrors {
		s.failed = err
	}
}

// LostData reports whether err may mean that written data did not reach the disk. It is false for
// the errors that mean that no fsync was possible at all. An error that fsync(2) does not name may
// mean anything: FUSE and network file systems pass on whatever they get.
func LostData(err error) bool {
	switch err {
	case nil, syscall.EINVAL, syscall.EROFS, syscall.EBADF, syscall.ENOSYS, syscall.EOPNOTSUPP:
		return false
	}
	return true
}
