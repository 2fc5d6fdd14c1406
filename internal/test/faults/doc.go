// Package faults tests that every operation may fail. The workloads of the library are here.
// Another module tests its own with Sweep and Syscalls: package copytree/internal/test/faults does.
//
// A workload is a fixed series of calls: on a File, a direct.File, streams, a cache, mapped memory,
// copies, a Batch, and the calls that package transparent makes. It checks what each call returns.
// A clean run counts the operations below it, driver operations and plain system calls together.
// TestSweep then runs the workload again and again. In each run one operation fails, or all from
// that one on: with each error, and with a short count. A run demands that
//
//   - the call during which the operation failed returns the error. A stream may return it later,
//     but not after its Close. A read that has failed is no error if a second read has returned the
//     same bytes. EINTR and a short count are no error of a call. From a driver, EAGAIN and
//     ECANCELED mean that the operation has not begun, and the plain call is made.
//   - every other call succeeds.
//   - bytes that were counted as written are in the file, and bytes that were counted as read are
//     the file's. A Sync that returned nil has made the system call, and the call has succeeded.
//   - no goroutine, descriptor, buffer, permit or memory of the cache is left, and the run ends.
//
// TestSyscalls does the same with system calls, as openat and io_uring_enter. The workload is
// another process. A seccomp filter has the test decide about each of these calls: to make it, or
// to return an error at once. (strace(1) injects errors, too, but counts the calls of each thread
// apart, and a goroutine may be on any.) The calls of the Go runtime are made: without memory it
// ends the process. The judge knows the file of each call. If a system call on a file of the
// workload fails, the call of the workload must return the error. If another system call fails,
// such as a ring's, no call of the workload returns the error: there is another way.
package faults
