// Package admission decides how much room there is for plain calls of operations that could be
// queued.
//
//	l := admission.Load{InFlight: d.InFlight(), Permits: d.Budget.Limit(), Processors: n}
//	permit, ok := d.Budget.TryAcquireBelow(budget.Reads, admission.Room(g.Choice(), l))
//
// Its functions are pure, so that package sched and the model of large machines
// (internal/test/model) have the same rules: docs/decisions/0002-paths.md.
package admission

import "github.com/sluiceio/sluice/internal/governor"

// Load is the state of a device and of the program that Room needs.
type Load struct {
	InFlight   int32 // operations of the device, queued or in plain calls
	Permits    int32 // permits of the device, free or taken
	Processors int   // processors that the program may use
	Ready      bool  // there is a driver
	Taken      bool  // goroutines that compute have all processors (package pressure)
}

// Room returns for the governor's choice c how many permits may be taken: one more plain call is to
// be made only if fewer are. 0 is no room.
//
// A thread in a plain call keeps its processor. If there is no other, nobody else can ask for an
// operation. But a program that makes few operations, one after the other, needs no driver. However
// good plain calls are, they leave a quarter of the permits to what cannot be queued. Beside
// goroutines that compute, whose time slices are 10 ms, a thread that has waited is that much late,
// and an epoch of a few milliseconds tells nothing: there the queue is in force, whatever the
// choice.
func Room(c governor.Choice, l Load) (most int32) {
	switch {
	case c == governor.Plain && !l.Taken:
		return PlainPermits(l.Permits)
	case l.InFlight > 0 || l.Processors == 1 && l.Ready:
		return 0
	}
	return 1
}

// PlainPermits returns how many of so many permits operations may take that could be queued.
func PlainPermits(permits int32) int32 { return permits - permits/4 }

// Few guesses with how many operations of a kind plain calls are good: while one waits, another
// runs. A thread in an fsync mostly sleeps, and a large read is worth a thread.
func Few(kind governor.Kind, processors int, permits int32) int32 {
	switch kind {
	case governor.Syncs:
		return PlainPermits(permits)
	case governor.LargeReads:
		return permits
	}
	return 2 * int32(processors)
}
