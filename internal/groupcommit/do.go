package groupcommit

import (
	"context"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/pressure"
)

// Caller is the caller of one Sync. It makes the system calls that Do asks for.
type Caller interface {
	// Admit waits until the caller may make an fsync. The error is ctx's, if ctx ends first.
	Admit(ctx context.Context) error
	// Withdraw gives back what Admit has taken, without an fsync.
	Withdraw()
	// Fsync makes an fsync or fdatasync, as code says, and gives back what Admit has taken. Fd
	// is the second descriptor, or OwnFD for the file's.
	Fsync(code driver.Code, fd int) Made
	// Reopen opens another description of the file; a negative number means that there can be none.
	Reopen() int
	// StartWriteback starts the write-back of the bytes that no fsync covers yet, if a thread
	// is free for it: TakeWriteback, the call, EndWriteback.
	StartWriteback()
	// Now returns the time of a clock that never goes back.
	Now() time.Duration
	// Processors returns what is known of the processors, by the clock of Now.
	Processors() *pressure.Signal
}

// OwnFD stands for the file's own descriptor.
const OwnFD = -1

// Made is an fsync that has ended.
type Made struct {
	Err          error
	Took         time.Duration
	Began, Ended int64 // for the record
}

// Do performs a Sync or Datasync, as code says. Shared is not nil if the fsync of another caller
// has served it. If ctx ends before c makes an fsync, Do returns ctx's error. If an earlier fsync
// has lost data, Do returns that error.
func (s *Syncer) Do(ctx context.Context, code driver.Code, c Caller) (shared *Made, err error) {
	does, g, err := s.begin(code)
	if err != nil {
		return nil, err
	}
	switch does {
	case opener:
		s.openSecondFD(c.Reopen())
	case second:
		return nil, s.doSecond(ctx, code, c)
	case leader:
		return nil, s.lead(ctx, code, g, c)
	case member:
		return s.follow(ctx, code, g, c)
	}
	return nil, s.doAlone(ctx, code, c)
}

// doAlone makes the fsync of a Sync that is in no group.
func (s *Syncer) doAlone(ctx context.Context, code driver.Code, c Caller) error {
	if err := c.Admit(ctx); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.startNext()
		return err
	}
	s.unsynced.Store(0)
	return s.end(c.Fsync(code, OwnFD), 1)
}

// doSecond makes an fsync on the second descriptor, beside the fsync that runs.
func (s *Syncer) doSecond(ctx context.Context, code driver.Code, c Caller) error {
	if err := c.Admit(ctx); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.second.busy = false
		return err
	}
	s.unsynced.Store(0)
	return s.endSecond(c.Fsync(code, s.second.fd).Err)
}

// lead makes the fsync for g. The caller is a member with code.
func (s *Syncer) lead(ctx context.Context, code driver.Code, g *group, c Caller) error {
	s.waitForGroup(g, c)
	if err := c.Admit(ctx); err != nil {
		g.mayLead <- struct{}{} // for another member; if there is none, leave takes it back
		s.leave(code, g)
		return err
	}
	all, err := s.startGroup(g)
	if err != nil {
		c.Withdraw()
		return s.endGroup(g, Made{Err: err})
	}
	s.unsynced.Store(0)
	return s.endGroup(g, c.Fsync(all, OwnFD))
}

// follow waits for g's fsync, or makes it if the caller becomes the leader.
func (s *Syncer) follow(ctx context.Context, code driver.Code, g *group, c Caller) (*Made, error) {
	if s.Unsynced() >= MuchWritten { // the disk need not wait until the group's fsync starts
		c.StartWriteback()
	}
	select {
	case <-g.mayLead:
		return nil, s.lead(ctx, code, g, c)
	case <-g.done:
		g.done <- struct{}{} // for the next member
		return &g.made, g.made.Err
	case <-ctx.Done():
		s.leave(code, g)
		return nil, ctx.Err()
	}
}
