//go:build amd64 || arm64

package transparent

import (
	"sync/atomic"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
)

// provider makes the states of descriptors, on a private Scheduler.
type provider struct {
	face *sluice.Scheduler // acquired; tests release and close it
	core *sched.Scheduler  // the internals of face
	// counts is true if SLUICE_STATS asks for the counters, or SLUICE_DEBUG_ADDR for a server that
	// shows them.
	counts bool
}

// newProvider starts a Scheduler with the named driver, or with the best one if driver is
// "".
func newProvider(driver string) (*provider, error) {
	face, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return nil, err
	}
	h := inside.Scheduler(face)
	if err := h.Acquire(); err != nil {
		return nil, err
	}
	return &provider{face: face, core: h.Core}, nil
}

// open is the hook open. It does not use package os: a test binary that logs calls of package os
// (internal/testlog) may hold the lock of the log here.
func (p *provider) open(fd int) *state {
	if k, ok := kindOf(fd); ok {
		f := newFile(p.core, fd, k)
		if p.looks() {
			f.state.Misses = f.core.Misses()
		}
		if p.unwatched() && !k.direct {
			f.state.ConcurrentSyncs = f.core.SyncsConcurrently()
		}
		return &f.state
	}
	return nil
}

// unwatched reports whether internal/poll may make calls directly. Counters and traces would miss
// them.
func (p *provider) unwatched() bool { return !p.counts && !p.core.Hook().Recording() }

// looks reports whether internal/poll may try the page cache directly. It must not on kernels that
// do not report the end of a file there.
func (p *provider) looks() bool { return p.unwatched() && p.core.KnowsEnd() }

// fresh returns the state of a file that was just opened, or nil if internal/poll must call open
// first.
func (p *provider) fresh() *state {
	if !p.unwatched() {
		return nil
	}
	s := &state{ConcurrentSyncs: new(atomic.Bool)}
	if p.looks() {
		s.Misses = new(atomic.Uint32)
	}
	return s
}
