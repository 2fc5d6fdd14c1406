// Package uring drives io_uring (io_uring(7)), on Linux 5.6 and later.
//
// One Ring is one io_uring instance. The goroutine that reaps can submit and wait
// in one io_uring_enter (Stage, then Reap). While it waits, another goroutine may
// submit (Submit).
//
// The ring is created without COOP_TASKRUN and DEFER_TASKRUN. Both assume that
// the thread that submits is the thread that waits, which does not hold for
// goroutines: they move between threads.
package uring
