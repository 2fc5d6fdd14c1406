// Package admission decides on which path an operation is performed that may have to wait.
//
//	l := admission.Load{InFlight: d.InFlight(), Permits: d.Budget.Limit(), Processors: n}
//	ok, most := admission.Room(g.Choice(), l)
//	switch admission.Decide(admission.Operation{CanQueue: true}, ok) {
//	case admission.Plain: // a plain call, if a permit is free and fewer than most are taken
//
// Its functions are pure, so that package sched and the model of large machines
// (internal/test/model) have the same rules: docs/decisions/0002-paths.md.
package admission

import "github.com/sluiceio/sluice/internal/governor"

// Path is how an operation is performed that may have to wait.
type Path uint8

// The paths.
const (
	Queued Path = iota
	Plain       // a plain call if a permit is free, else it is queued
	Waits       // a plain call, once there is a permit
)

// Operation is the properties of an operation that Decide needs.
type Operation struct {
	CanQueue bool // the driver can perform it without a thread
	Ends     bool // its context can end
}

// Decide decides on which path an operation is performed. room says that its governor leaves room
// for one more plain call. A plain call cannot be asked to end early.
func Decide(o Operation, room bool) Path {
	switch {
	case !o.CanQueue:
		return Waits
	case o.Ends:
		return Queued
	case room:
		return Plain
	}
	return Queued
}

// Load is the state of a device and of the program that Room needs.
type Load struct {
	InFlight   int32 // operations of the device, queued or in plain calls
	Permits    int32 // permits of the device, free or taken
	Processors int   // processors that the program may use
	Ready      bool  // there is a driver
	Taken      bool  // goroutines that compute have all processors (package pressure)
}

// Room reports whether the governor's choice c leaves room for one more plain call beside the
// operations in flight. The room is there only if fewer than most permits are taken.
//
// A thread in a plain call keeps its processor. If there is no other, nobody else can ask for an
// operation. But a program that makes few operations, one after the other, needs no driver. However
// good plain calls are, they leave a quarter of the permits to what cannot be queued. Beside
// goroutines that compute, whose time slices are 10 ms, a thread that has waited is that much late,
// and an epoch of a few milliseconds tells nothing: there the queue is in force, whatever the
// choice.
func Room(c governor.Choice, l Load) (ok bool, most int32) {
	switch {
	case c == governor.Plain && !l.Taken:
		return true, PlainPermits(l.Permits)
	case l.Processors == 1 && l.Ready:
		return false, 0
	}
	return l.InFlight == 0, 1
}

// PlainPermits returns how many of so many permits operations may take that could be queued.
func PlainPermits(permits int32) int32 { return permits - permits/4 }

// Few returns how many threads in plain calls so many processors serve well, as a guess: while one
// waits, another runs.
func Few(processors int) int32 { return 2 * int32(processors) }
