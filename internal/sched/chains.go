package sched

import (
	"github.com/sluiceio/sluice/internal/chains"
	"github.com/sluiceio/sluice/internal/driver"
)

// ChainRunner, Chain and the constants are those of package chains.
type (
	ChainRunner = chains.Runner
	Chain       = chains.Chain
)

const (
	MaxChainOps = chains.MaxOps
	WorkingDir  = chains.WorkingDir
)

// SetChainDriver makes the driver that open returns perform chains; see chains.Runner.Init. It
// must be called before the first operation.
func (s *Scheduler) SetChainDriver(open func() driver.Linker) {
	s.chains.Init(open, chains.Reports{Stats: &s.stats, Losses: &s.lost, Hook: s.hook})
}

// TryChainRunner returns the ChainRunner for the caller alone; see chains.Runner.TryTake.
func (s *Scheduler) TryChainRunner() *ChainRunner { return s.chains.TryTake() }
