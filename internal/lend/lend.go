// Package lend lets the module's other public packages use the scheduler that
// is inside a sluice.Scheduler. They import package sluice, which says here how
// it is had; a method there would be everybody's.
package lend

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sched"
)

// Scheduler returns what is inside s, a *sluice.Scheduler, and a function that
// gives it back: until that was called, once, Close of s waits. The error is
// that of a closed Scheduler. Set by package sluice when it is initialized.
var Scheduler func(s any) (core *sched.Scheduler, giveBack func(), err error)

// Another opens a driver of the kind that s has, with up to depth operations in
// flight, for a goroutine that has batches of buffered reads to make. It is nil
// if that would take threads. Who has it closes it. Set by package sluice when it
// is initialized.
var Another func(s any, depth int) driver.Driver
