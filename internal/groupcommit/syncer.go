package groupcommit

import (
	"context"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/probe"
)

// Syncer lets concurrent Syncs and Datasyncs of a file share one fsync. Its zero value is ready.
type Syncer struct {
	mu      probe.Mutex
	running bool        // an fsync runs, or a group was told to start one
	next    *group      // the group that forms; nil if it has no member
	delay   commitDelay // how long a group waits for more members
	// Concurrent is true while more than one Sync is expected at a time (delay.expected), for
	// writers, which do not lock mu. Written under mu.
	Concurrent atomic.Bool
	// failed is the error of the first fsync that lost data. The kernel reports a failed write-back
	// once and drops the pages (fsync(2), NOTES), so a later fsync may succeed although data is
	// gone. No later Sync or Datasync of this file succeeds.
	failed error
	// forgetsErrors: failed is never set. See Options.ForgetErrors.
	forgetsErrors bool
	// writebacks are being started. unreported has the error of one, which the kernel reports to no
	// fsync: the one that runs fails with it, or else the next one. A write-back that begins now
	// puts its error at turn. All three are guarded by mu.
	writebacks calls
	unreported [2]error
	turn       int
	// unsynced counts the bytes that were written to the page cache since the last fsync
	// began, or since the last early write-back did. It is counted only while Syncs overlap
	// (Concurrent), and roughly: it decides what is worth while, and nothing depends on it.
	// written is where the last small write was.
	unsynced, written atomic.Int64
}

// Options configures a Syncer.
type Options struct {
	// ForgetErrors has a Sync succeed if its own fsync does, whatever earlier ones have lost.
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
}

// Caller is the caller of one Sync. It makes the system calls that Do asks for.
type Caller interface {
	// Admit waits until the caller may make an fsync. The error is ctx's, if ctx ends first.
	Admit(ctx context.Context) error
	// Fsync makes an fsync or fdatasync, as code says, and gives back what Admit has taken.
	Fsync(code driver.Code) Made
	// StartWriteback starts the write-back of the bytes that no fsync covers yet, if a thread
	// is free for it (TakeUnsynced, Writeback).
	StartWriteback()
	// Now returns the time of a clock that never goes back.
	Now() time.Duration
	// Processors returns what is known of the processors, by the clock of Now.
	Processors() *pressure.Signal
}

// Made is an fsync that has ended.
type Made struct {
	Err          error
	Took         time.Duration
	Began, Ended int64 // for the record
}

// begin begins a Sync or Datasync, as code says. It returns the caller's group, or nil if the
// caller makes an fsync that serves nobody else. Leads says that the caller makes the fsync, and
// does not wait for it. If an earlier fsync has lost data begin returns that error.
func (s *Syncer) begin(code driver.Code) (g *group, leads bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return nil, false, s.failed
	case !s.running && s.delay.expected <= 1:
		s.running = true
		return nil, true, nil
	}
	if s.next == nil {
		s.next = newGroup()
	}
	s.next.add(1, code)
	if s.next.members == s.next.wanted {
		select {
		case s.next.enough <- struct{}{}:
		default: // it was sent when a member had come that has left since
		}
	}
	leads = !s.running // no fsync runs whose end would start the group
	s.running = true
	return s.next, leads, nil
}

// Do performs a Sync or Datasync, as code says. Shared is not nil if the fsync of another caller
// has served it. If ctx ends before c makes an fsync, Do returns ctx's error. If an earlier fsync
// has lost data, Do returns that error.
func (s *Syncer) Do(ctx context.Context, code driver.Code, c Caller) (shared *Made, err error) {
	g, leads, err := s.begin(code)
	if err != nil {
		return nil, err
	}
	if !leads {
		if s.unsynced.Load() >= MuchWritten { // the disk need not wait for the group's fsync
			c.StartWriteback()
		}
		select {
		case <-g.mayLead:
		case <-g.done:
			g.done <- struct{}{} // for the next member
			return &g.made, g.made.Err
		case <-ctx.Done():
			s.leave(code, g)
			return nil, ctx.Err()
		}
	}
	return nil, s.fsync(ctx, code, g, c)
}

// fsync makes g's fsync, or one for its caller alone if g is nil.
func (s *Syncer) fsync(ctx context.Context, code driver.Code, g *group, c Caller) error {
	if g != nil {
		s.waitForGroup(g, c)
	}
	if err := c.Admit(ctx); err != nil {
		s.giveUp(code, g)
		return err
	}
	if g != nil {
		code = s.startGroup(g)
	}
	s.unsynced.Store(0)
	return s.end(g, c.Fsync(code))
}

// giveUp ends the turn of a caller whose context has ended before its fsync.
func (s *Syncer) giveUp(code driver.Code, g *group) {
	if g != nil {
		g.mayLead <- struct{}{} // for another member; if there is none, leave takes it back
		s.leave(code, g)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startNext(nil)
}

// startGroup closes g to new members: the fsync, which the leader starts now, might miss what
// a later member has written. It returns the call that serves all members.
func (s *Syncer) startGroup(g *group) driver.Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = nil
	return g.code()
}

// end records that the fsync of g has ended, or of one caller if g is nil. Then it lets the next
// group start, or ends that group (startNext). It returns the result of the Syncs.
func (s *Syncer) end(g *group, made Made) error {
	err := s.lockAfterWritebacks(made.Err)
	defer s.mu.Unlock()
	s.noteError(err)
	expected := 1
	if g != nil {
		expected = g.members
		made.Err = err
		g.end(made)
	}
	if s.next != nil {
		expected += s.next.members
	}
	s.startNext(err)
	s.delay.expected, s.delay.took = expected, made.Took
	if crowded := expected > 1; crowded != s.Concurrent.Load() {
		s.Concurrent.Store(crowded)
	}
	return err
}

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
