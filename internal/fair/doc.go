// Package fair decides which waiting requests may begin. Classes of requests share a device by
// weight, under a cap on the requests in flight, and each class keeps to its own limits. It is a
// pure state machine: it does no I/O, and the time is an argument.
//
// The order is start-time fair queueing (docs/decisions/0023-classes.md). Each class has a tag,
// which grows by the cost of its requests, divided by the weight of the class. The class with the
// least tag is next. The virtual time is the tag of the last class. A class that comes back begins
// at the virtual time. A large request is granted in parts, each in its turn.
//
// A lighter class keeps at most Cap.Beside bytes in flight while a heavier one is interactive
// (Class.interactive), unless it has nothing in flight. One read and one write may be in flight
// without room in the cap (Queue.beyondCap).
//
// # Concurrency
//
// One goroutine at a time may use a Queue: its callers lock.
package fair
