//go:build amd64 || arm64

package transparent

import (
	"sync/atomic"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
)

// provider provides disks, on a Scheduler of its own.
type provider struct {
	face *sluice.Scheduler // acquired; tests release it and close it
	core *sched.Scheduler  // its inside
	// counts: Stats are asked for.
	counts bool
	places places
}

// newProvider starts a Scheduler with the named driver, or the best one if that
// is "".
func newProvider(driver string) (*provider, error) {
	face, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return nil, err
	}
	h := face.Internal()
	if err := h.Acquire(); err != nil {
		return nil, err
	}
	return &provider{face: face, core: h.Core}, nil
}

// open is the hook of that name. It makes no call of package os: a test binary
// that is told to log those (internal/testlog) may hold the log's lock here.
func (p *provider) open(fd int) *state {
	if k, ok := kindOf(fd); ok {
		f := newFile(p.core, fd, k)
		if p.looks() {
			f.state.Misses = f.core.Misses()
		}
		if p.unwatched() && !k.direct {
			f.state.Places, f.state.Crowded = &p.places, f.core.SyncsConcurrently()
		}
		return &f.state
	}
	return nil
}

// unwatched tells whether internal/poll may make calls by itself, of which no Stats and no
// trace know.
func (p *provider) unwatched() bool { return !p.counts && !p.core.Hook().Recording() }

// looks tells whether it may look into the page cache: it knows nothing of kernels that do not
// tell the end of a file.
func (p *provider) looks() bool { return p.unwatched() && p.core.KnowsEnd() }

// fresh returns what is known of a file that was opened just now, nil if nothing is to be
// done without asking.
func (p *provider) fresh() *state {
	if !p.unwatched() {
		return nil
	}
	s := &state{Places: &p.places}
	if p.looks() {
		s.Misses = new(atomic.Uint32)
	}
	return s
}
