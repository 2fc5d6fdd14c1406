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
	// is free for it (TakeUnsynced, Writeback).
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
	case member:
		if s.Unsynced() >= MuchWritten { // the disk need not wait until the group's fsync starts
			c.StartWriteback()
		}
		select {
		case <-g.mayLead:
			does = leader
		case <-g.done:
			g.done <- struct{}{} // for the next member
			return &g.made, g.made.Err
		case <-ctx.Done():
			s.leave(code, g)
			return nil, ctx.Err()
		}
	}
	return nil, s.fsync(ctx, does, code, g, c)
}

// fsync makes the fsync of a caller that is no member. If it leads g, the fsync is g's.
func (s *Syncer) fsync(ctx context.Context, does role, code driver.Code, g *group, c Caller) error {
	if does == leader {
		s.waitForGroup(g, c)
	}
	if err := c.Admit(ctx); err != nil {
		s.giveUp(does, code, g)
		return err
	}
	fd := OwnFD
	switch does {
	case second:
		fd = s.second.fd
	case leader:
		all, err := s.startGroup(g)
		if err != nil {
			c.Withdraw()
			return s.end(does, g, Made{Err: err})
		}
		code = all
	}
	s.unsynced.Store(0)
	return s.end(does, g, c.Fsync(code, fd))
}

// giveUp ends the turn of a caller whose context has ended before its fsync.
func (s *Syncer) giveUp(does role, code driver.Code, g *group) {
	if does == leader {
		g.mayLead <- struct{}{} // for another member; if there is none, leave takes it back
		s.leave(code, g)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if does == second {
		s.second.busy = false
		return
	}
	s.startNext()
}
