// Package admission chooses the path of an operation that the page cache has not answered.
//
// PathOf says which paths the operation can take. Where it may be a plain call or be queued, Room
// says how much room there is for a plain call:
//
//	l := admission.Load{InFlight: d.InFlight(), Permits: d.Budget.Limit(), Processors: n}
//	permit, ok := d.Budget.TryAcquireBelow(budget.Reads, admission.Room(kind, g.Choice(), l))
//
// Both are pure, so that package sched and the model of large machines (internal/test/model) have
// the same rules. They are the tables of docs/decisions/0002-paths.md.
package admission

import "github.com/sluiceio/sluice/internal/governor"

// Path is how an operation is performed.
type Path uint8

// The paths.
const (
	Queue       Path = iota // by the driver, without a thread
	CallOrQueue             // a plain call if there is Room and a permit is free; else Queue
	CallOrWait              // a plain call, once there is a permit
	Call                    // a plain call without a permit
)

// PathOf returns an operation's path. Queues: the driver can perform it without a thread. Ends: its
// context can end. Waits: a call may wait, as it may not for a file in memory.
//
// A plain call cannot be ended early, so an operation whose context can end is queued if it can be.
func PathOf(queues, ends, waits bool) Path {
	switch {
	case queues && ends:
		return Queue
	case !waits && !ends:
		return Call
	case queues:
		return CallOrQueue
	}
	return CallOrWait
}

// Load is the state of a device and of the program that Room needs.
type Load struct {
	InFlight   int32 // operations of the device, queued or in plain calls
	Permits    int32 // permits of the device, free or taken
	Processors int   // processors that the program may use
	Ready      bool  // there is a driver
	Taken      bool  // the processors are taken (package pressure)
}

// Room returns, for the governor's choice c for a kind of operations, how many permits may be
// taken: one more plain call is to be made only if fewer are. 0 is no room.
//
// While the processors are taken, the choice does not count: an epoch of a few milliseconds tells
// nothing. A goroutine that becomes ready is late by a time slice of 10 ms. A plain call seldom
// takes so long that its thread loses the processor, so with few operations plain calls are better.
// With many, one time slice serves all goroutines whose operations a leader reaps. Fsyncs end one
// by one, and a leader would wait for a time slice to see each end: so they are plain calls.
func Room(kind governor.Kind, c governor.Choice, l Load) (most int32) {
	switch few := few(l.Processors); {
	case c == governor.Plain && !l.Taken, kind == governor.Syncs && l.Taken:
		return PlainPermits(l.Permits)
	case l.Processors == 1 && l.Ready:
		// The thread of a plain call keeps the one processor, so nobody could ask for another
		// operation. Without a driver that does not count: a program that makes few operations, one
		// after the other, needs no driver.
		return 0
	case l.Taken && l.InFlight < few:
		return min(few, PlainPermits(l.Permits))
	case l.InFlight > 0:
		return 0
	}
	return 1 // alone, a plain call is quicker than the queue
}

// PlainPermits returns how many of so many permits operations may take that could be queued.
// However good plain calls are, they leave a quarter of the permits to what cannot be queued.
func PlainPermits(permits int32) int32 { return permits - permits/4 }

// Few guesses with how many operations of a kind in flight, beside one that asks, plain calls are
// good. It bounds no permits: with more operations the guess is Queue. Ready says that there is a
// driver: without one a short program is quicker with plain calls. Direct says that the operations
// are with O_DIRECT: plain calls copy from the page cache side by side, and the leader of a ring
// one after the other. All that the device has in flight counts, whatever its kind.
func Few(kind governor.Kind, processors int, permits int32, ready, direct bool) int32 {
	switch kind {
	case governor.Syncs: // a thread in an fsync mostly sleeps
		return PlainPermits(permits)
	case governor.LargeReads:
		// A large read is worth a thread. Beyond the three quarters that Room grants, large reads
		// are queued beside plain calls, which is no reason for all of them to be queued.
		return permits
	}
	few := few(processors)
	if ready && kind != governor.Writes && (direct || processors == 1) {
		// Calls keep their processors until the Go runtime's monitor comes. With one or two
		// processors it sleeps most of the time: docs/results/paths.md.
		few = min(few, int32(processors)*int32(processors-1))
	}
	return few
}

// few returns how many plain calls may be good with so many processors: while one waits, another
// runs.
func few(processors int) int32 { return 2 * int32(processors) }
