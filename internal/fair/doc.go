// Package fair decides which waiting requests may begin. Classes of requests share a device by
// weight, under a cap on the requests in flight, and each class keeps to its own limits. It is a
// pure state machine: it does no I/O, and the time is an argument.
//
// The order is start-time fair queueing (Goyal, Vin, Cheng, 1996), with several requests in flight
// (SFQ(D): Jin, Chase, Kaur, 2004). Each class has a tag, which grows by the cost of its requests,
// divided by the weight of the class. The class with the least tag is next. The virtual time is the
// tag of the last class. A class that comes back begins at the virtual time.
//
// A request costs its bytes and RequestCost. A large request is granted in parts, each in its turn.
//
// A device chooses the order of its requests, so a small read may wait for everything in the
// device. While a heavier class is interactive, a lighter class therefore keeps at most Cap.Beside
// bytes in flight. A class is interactive if it was active lately and its requests have not waited
// for room in the cap. If a lighter class has nothing in flight, Cap.Beside does not hold back its
// next request, so that all classes make progress. One read and one write may be in flight even
// without room in the cap: one of the two may hang alone.
//
// # Concurrency
//
// One goroutine at a time may use a Queue: its callers lock.
package fair
