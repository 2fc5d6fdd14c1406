package ioengine

import (
	"errors"
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
)

// A driver can be lost while it is used: docs/decisions/0026-lost-drivers.md. Operations that the
// driver has come back from it. The leader ends the rest with Canceled: they were not performed.
// The caller makes plain calls of them, and of all operations from then on (Rings.Lost).

// Loss is a driver that was lost, and why.
type Loss struct {
	Driver string // driver.Info.Name
	Err    error
}

// Losses returns the drivers that were lost, in the order in which that happened.
func (r *Rings) Losses() []Loss {
	r.lossesMu.Lock()
	defer r.lossesMu.Unlock()
	return slices.Clone(r.losses)
}

// lose marks the driver as lost. It may be called with or without mu held.
func (e *Engine) lose(err error) {
	if errors.Is(err, driver.ErrClosed) {
		panic("ioengine: the driver was closed while in use")
	}
	if !e.lost.CompareAndSwap(false, true) {
		return
	}
	r := e.rings
	r.lossesMu.Lock()
	r.losses = append(r.losses, Loss{e.drv.Info().Name, err})
	r.lossesMu.Unlock()
	if slices.Contains(r.All(), e) {
		r.lost.Store(true)
		r.OnLoss()
	}
}

// leaveToLeader is submit for a lost driver: it wakes the leader, which ends what is in the
// backlog. It must be called with mu held.
func (e *Engine) leaveToLeader() {
	e.waiting.Store(nothingWaits)
	if e.backlog.Len() > 0 {
		e.drv.Wake()
	}
}

// giveUp ends the operations that a lost driver does not have. The leader calls it without mu.
func (e *Engine) giveUp() {
	if !e.lost.Load() {
		return
	}
	e.mu.Lock()
	e.backlog.appendReversed(e.inbox.Swap(nil))
	n := e.backlog.Len()
	ops := e.backlog.take(nil, room{n, n})
	e.mu.Unlock()
	for _, op := range ops {
		op.Res = Canceled
		requestOf(op).finish()
	}
}
