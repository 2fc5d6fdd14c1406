// Package iopath performs one transfer of a file on one of three paths. Which one is its caller's
// decision (package sched):
//
//	res := p.ReadCached(f, b, off)                       // cached: cannot wait (cached.go)
//	res = p.PlainCall(0, permit, driver.Read, f, b, off)    // plain: a thread waits (plain.go)
//	res = p.Queue(ctx, asked, driver.Read, f, b, off, 0)  // queued: no thread waits (queue.go)
//
// Stats and package counters call the plain path "blocking".
//
// Results are as in cqe.res: a count, which may be short, or a negated errno. Each transfer is
// counted and recorded here.
//
// A File is what is known of an open file: its descriptor, how many operations use it, its
// ring and device, what its file system cannot do.
//
// # Concurrency
//
// All methods may be called at the same time, unless their comments say otherwise.
package iopath
