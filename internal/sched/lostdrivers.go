package sched

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// A driver can be lost while it is used: see package driver. Operations that the driver has
// come back from it. Operations that it does not have, and later ones, are performed by plain
// calls. The engine's leader ends those in its queue with -ECANCELED, which means that nobody
// has performed them (mustRetryPlain). From then on Scheduler.async reports that the driver can
// do nothing. So no operation is performed twice, and none waits for one that the driver has.

// Loss is a driver that was lost, and why.
type Loss struct {
	Driver string // driver.Info.Name
	Err    error
}

// lostDrivers is the drivers of a Scheduler that were lost.
type lostDrivers struct {
	// ring is set when the driver of a ring is lost. Then no ring is used any more.
	// Written once.
	ring atomic.Bool
	mu   sync.Mutex
	list []Loss // under mu
}

// Losses returns the drivers that were lost, in the order in which that happened.
func (s *Scheduler) Losses() []Loss {
	s.lost.mu.Lock()
	defer s.lost.mu.Unlock()
	return slices.Clone(s.lost.list)
}

// noteLoss records that a driver was lost.
func (s *Scheduler) noteLoss(drv driver.Driver, err error) {
	s.lost.mu.Lock()
	defer s.lost.mu.Unlock()
	s.lost.list = append(s.lost.list, Loss{drv.Info().Name, err})
}

// ringLost is the onLoss of each ring. It records the loss, and widens the limiter with the
// first one.
func (s *Scheduler) ringLost(e *engine, err error) {
	s.noteLoss(e.drv, err)
	if s.lost.ring.CompareAndSwap(false, true) {
		s.limiter.Widen(s.limits.Fallback)
	}
}

// lose marks the driver as lost. It may be called with or without mu held.
func (e *engine) lose(err error) {
	if errors.Is(err, driver.ErrClosed) {
		panic("sched: the driver was closed while in use")
	}
	if e.lost.CompareAndSwap(false, true) && e.onLoss != nil {
		e.onLoss(e, err)
	}
}

// leaveToLeader is submit for a lost driver: it wakes the leader, which ends what is in the
// backlog. It must be called with mu held.
func (e *engine) leaveToLeader() {
	e.hasBacklog.Store(false)
	if e.backlog.Len() > 0 {
		e.drv.Wake()
	}
}

// giveUp ends the operations that a lost driver does not have. The leader calls it without mu.
func (e *engine) giveUp() {
	if !e.lost.Load() {
		return
	}
	e.mu.Lock()
	e.backlog.appendReversed(e.inbox.Swap(nil))
	ops := e.backlog.take(nil, e.backlog.Len())
	e.mu.Unlock()
	for _, op := range ops {
		op.Res = ecanceled
		requestOf(op).finish()
	}
}
