// Package uring drives io_uring (io_uring(7)), on Linux 5.6 and later.
//
// One Ring is one io_uring instance. The goroutine that reaps can submit and wait in one
// io_uring_enter (Stage, then Reap). While it waits, another goroutine may submit (Submit).
//
// The ring is created without COOP_TASKRUN and DEFER_TASKRUN. Both assume that one thread submits
// and waits, but goroutines move between threads. With COOP_TASKRUN, a completion waits until the
// thread that submitted the operation enters the kernel. If a goroutine computes on that thread,
// this is the next timer tick, up to 4 ms later. With DEFER_TASKRUN only one thread may use the
// ring. docs/decisions/0031-newer-io_uring.md has the measurements.
package uring
