// Package sys has system calls in the form that an I/O engine needs, which package os and x/sys do
// not provide, and the kernel's ABI structs.
//
// Calls return a kernel result: a count, or a negated errno, as in io_uring's cqe.res. No call
// allocates. Buffers are passed to the kernel without a copy. The calls report them to the race
// detector, which does not see the kernel's writes.
//
// # Concurrency
//
// Functions may be called by any number of goroutines at once, unless they say otherwise.
package sys
