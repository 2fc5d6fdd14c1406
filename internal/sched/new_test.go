package sched

import "github.com/sluiceio/sluice/internal/driver"

// newOn returns a Scheduler that owns drv, and has chosen it.
func newOn(drv driver.Driver, o Options) *Scheduler {
	s := New(func() driver.Driver { return drv }, o)
	s.Ready()
	return s
}
