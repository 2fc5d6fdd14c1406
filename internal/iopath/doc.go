// Package iopath performs one transfer of a file on one of three paths. Its caller, package sched,
// chooses the path:
//
//	res := p.ReadCached(f, b, off)                            // cached: cannot wait (cached.go)
//	res = p.PlainCall(0, plain, driver.Read, f, b, off) // plain: a thread waits (plain.go)
//	res = p.Queue(ctx, asked, driver.Read, f, b, off, 0)      // queued: no thread (queue.go)
//
// A transfer is one system call, or one request to the driver. An operation, such as a ReadAt,
// takes one transfer or several. Results are as in cqe.res: a count, which may be short, or a
// negated errno. Each transfer is counted and recorded here. An argument asked is when the caller
// asked for the operation, for the record; it may be 0 for a plain call, and while nothing is
// recorded. A look is the system call of ReadCached, which cannot wait.
//
// # Concurrency
//
// All methods may be called at the same time, unless their comments say otherwise.
package iopath
