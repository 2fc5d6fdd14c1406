// Package fair decides which of the requests that wait may begin. Classes of
// requests share a device by weight, under a cap on the requests in flight, and each
// class keeps to its own limits. It is a pure state machine: it does no I/O, and
// the time is an argument.
//
// The order is that of start-time fair queueing (Goyal, Vin, Cheng, 1996), with
// several requests in flight (SFQ(D): Jin, Chase, Kaur, 2004). Each class has a
// tag, which grows by what its requests cost, divided by its weight; the class
// with the least tag is next, and the virtual time is the tag that the last class had. A
// class that comes back begins at the virtual time: it has not saved anything up.
//
// A request costs its bytes, and RequestCost for being one. A large one is
// granted in parts, after each of which its class is queued again.
//
// A device serves its requests in an order of its own, so that a small read waits
// for whatever is in the device. So while a heavier class is interactive, a lighter class
// keeps at most Cap.Beside bytes in flight. A class is interactive if it has been active
// of late and its requests have not waited for room in the cap. Each class may always have
// one request in flight, so that all make progress. For the same reason one read may always be in
// flight, and one write: where one of the two hangs, the device may answer the other.
//
// # Concurrency
//
// A Queue is used by one goroutine at a time: its callers lock.
package fair
