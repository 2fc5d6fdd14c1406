// Package load performs one kind of disk I/O with a number of goroutines and
// measures it: it is what a worker process of `sluice bench` does.
//
// A worker performs one Load through one Side (os.File, or sluice on one of
// its drivers) and lives only for one cell. It takes Requests as JSON lines
// and answers each with one Reply, so that its parent can let the workers of
// a cell take turns. Two sides never share a process: the threads that the
// Go runtime has once started never end, so the first side's would be counted
// as the second's.
//
// # Concurrency
//
// A Worker runs one slice at a time. Within a slice each goroutine (a client)
// has its own buffer, offsets and histogram; they meet only in the file.
package load
