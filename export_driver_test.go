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
