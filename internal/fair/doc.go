// Package fair decides which of the requests that wait may begin. Classes of
// requests share a device by weight, under a cap on the requests in flight, and each
// class keeps to its own limits. It is a pure state machine: it does no I/O, and
// the time is an argument.
//
// The order is start-time fair queueing (Goyal, Vin, Cheng, 1996), with several requests in flight
// (SFQ(D): Jin, Chase, Kaur, 2004). Each class has a tag, which grows by the cost of its requests,
// divided by the weight of the class. The class with the least tag is next. The virtual time is the
// tag that the last class had. A class that comes back begins at the virtual time: it has not saved
// anything up.
//
// A request costs its bytes, and RequestCost beside them. A large request is granted in parts.
// After each part its class is queued again.
//
// A device chooses the order of its requests, so a small read may wait for everything that is in
// the device. So while a heavier class is interactive, a lighter class keeps at most Cap.Beside
// bytes in flight. A class is interactive if it has been active of late and its requests have not
// waited for room in the cap. Each class may always have one request in flight, so that all make
// progress. For the same reason one read may always be in flight, and one write: where one of the
// two hangs, the device may answer the other.
//
// # Concurrency
//
// A Queue is used by one goroutine at a time: its callers lock.
package fair
