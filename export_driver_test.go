package sluice

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sched"
)

// NewSchedulerOn makes a Scheduler on a driver of the test's own, which it
// queues everything into that the driver calls asynchronous.
func NewSchedulerOn(drv driver.Driver) *Scheduler {
	return newScheduler(sched.New(drv, sched.Limits{Blocking: 4}), Options{})
}

// LaneThrough has chains performed by the driver that open returns.
func (s *Scheduler) LaneThrough(open func() driver.Linker) { s.h.Core.SetChainDriver(open) }

// PlayCalls has a test play the plain system calls.
func (s *Scheduler) PlayCalls(wrap func(sched.Caller) sched.Caller) { s.h.Core.WrapCalls(wrap) }

// WithFiles is what becomes of a driver that may perform chains or not.
func WithFiles(l driver.Linker) driver.Linker { return withFiles(l) }
