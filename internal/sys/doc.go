// Package sys holds the system calls that package os and x/sys do not give in
// the form that an I/O engine needs, and the kernel's ABI structs.
//
// Calls return a kernel result: a count, or a negated errno, as io_uring's
// cqe.res does. No call allocates. Buffers are passed to the kernel without a
// copy and told to the race detector, which cannot see the kernel write.
package sys
