// Package sched decides which path an operation takes: cached, plain or queued (package iopath).
// The choice is made in admit.go (tryPlain); read.go, write.go and position.go ask it. Short
// transfers, EINTR and EAGAIN are dealt with here, for all drivers alike. Concurrent Syncs of a
// file share an fsync (sync.go, package groupcommit). Once there are classes, operations first wait
// for their tickets (by_class.go, package qos).
//
// A transfer is one system call or request of an operation. The type Transfer is something else: a
// read or write that is started now and waited for later. While the driver has it, no goroutine
// waits for it. Helpers perform what the driver cannot do (helpers.go). The owner of a TransferSet
// starts many Transfers, and reaps them itself.
//
// # Concurrency
//
// Any number of goroutines may call the methods of Scheduler and File at the same time.
package sched
