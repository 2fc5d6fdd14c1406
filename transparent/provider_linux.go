//go:build amd64 || arm64

package transparent

import (
	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/lend"
	"github.com/sluiceio/sluice/internal/sched"
)

// provider provides disks, on a Scheduler of its own.
type provider struct {
	face *sluice.Scheduler
	core *sched.Scheduler // its inside
	// giveBack is called before face is closed, which tests alone do.
	giveBack func()
}

// newProvider starts a Scheduler with the named driver, or the best one if that
// is "".
func newProvider(driver string) (*provider, error) {
	face, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return nil, err
	}
	core, giveBack, err := lend.Scheduler(face)
	if err != nil {
		return nil, err
	}
	return &provider{face, core, giveBack}, nil
}

// open is the hook of that name. It makes no call of package os: a test binary
// that is told to log those (internal/testlog) may hold the log's lock here.
func (p *provider) open(fd int) *state {
	if k, ok := kindOf(fd); ok {
		return &newFile(p.core, fd, k).state
	}
	return nil
}
