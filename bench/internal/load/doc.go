// Package load performs one kind of disk I/O with a number of goroutines and measures it. It is
// what a worker process of `sluice bench` does.
//
// A worker performs one Load through one Side (os.File, sluice on one of its drivers), for one
// slice. It reads Requests as JSON lines and answers each with one Reply, so that package duel can
// let the sides of a cell take turns. Two sides never share a process: the Go runtime never ends a
// thread that it has started, so the threads of the first side would be counted as the second's.
//
// # Slices
//
// A Slice begins with a lead-in that does not count, and has a window that does. See window for
// which part of an operation counts.
//
// # Concurrency
//
// A Worker runs one slice at a time. Within a slice each goroutine (a client) has its own buffer,
// offsets and histogram; the clients share only the file.
package load
