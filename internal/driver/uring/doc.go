// Package uring drives io_uring (io_uring(7)), Linux 5.6 and later.
//
// One Ring is one io_uring instance. Its owner hands over and waits in one
// io_uring_enter (Stage, then Reap); others submit beside it while it waits
// (Submit). The ring is created without COOP_TASKRUN and DEFER_TASKRUN: both
// assume that the thread that submits is the thread that waits, which a
// goroutine does not promise.
package uring
