// Package load performs one kind of disk I/O with a number of goroutines, and measures it. It is
// the worker process of `sluice bench`.
//
// A worker performs one Load through one Side (os.File, or sluice on a driver) for one slice. It
// reads Requests as JSON lines and answers each with one Reply, so that package duel can let the
// sides of a cell take turns. Two sides never share a process: the Go runtime never ends a thread,
// so the first side's threads would count as the second side's.
//
// # Slices
//
// A Slice begins with a lead-in that does not count, followed by a window that does. See window for
// operations that are partly in it.
//
// # Concurrency
//
// A Worker runs one slice at a time. Within a slice each goroutine (a client) has its own buffer,
// offsets and histogram. The clients share only the file.
package load
