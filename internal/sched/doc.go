// Package sched decides how an operation is performed.
//
// A read or write takes one of three paths:
//
//  1. cached: what the page cache holds is copied by preadv2(RWF_NOWAIT),
//     which cannot wait (read.go);
//  2. blocking: the plain system call, as os.File would make it. Taken while
//     next to nothing else is in flight, when it is the fastest way, and for
//     what the driver cannot do without a thread; a gate bounds how many
//     threads wait that way (blocking.go, gate.go);
//  3. queued: into the driver, in one batch with whatever else has arrived,
//     while the goroutine waits and no thread does (engine.go).
//
// Short transfers, EINTR and EAGAIN are dealt with here, for all drivers
// alike. A Transfer (async.go) is a read or write that is started, and waited
// for later; what the driver leaves of it is done by a few helpers (helpers.go). A
// Group (group.go) is many of one goroutine, which reaps them itself.
// Concurrent Syncs of a file share an fsync (sync.go).
//
// # Concurrency
//
// All methods of Scheduler and File may be called at the same time by any
// number of goroutines.
package sched
