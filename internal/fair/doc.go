// Package fair decides which of the requests that wait may begin: classes of
// them share a device by weight, under a cap of what is in flight, and each
// class keeps to its own limits. It is a pure state machine: it does no I/O, and
// the time is an argument.
//
// The order is that of start-time fair queueing (Goyal, Vin, Cheng, 1996), with
// several requests in flight (SFQ(D): Jin, Chase, Kaur, 2004). Each class has a
// tag, which grows by what its requests cost, divided by its weight; the class
// with the least tag is next, and the virtual time is the tag of who was last. A
// class that comes back begins at the virtual time: it has not saved anything up.
//
// A request costs its bytes, and RequestCost for being one. A large one is
// granted in parts, after each of which its class is queued again.
//
// A device serves what it has in an order of its own, so that a small read waits
// for whatever is in it. So a class is held to Cap.Beside bytes in flight while
// another one of more weight is interactive: it has been active of late, and has
// had nothing to wait for in our queue. One request of each class is never held
// for that reason, so that all make progress.
//
// # Concurrency
//
// A Queue is used by one goroutine at a time: its callers lock.
package fair
