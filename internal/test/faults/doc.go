// Package faults tests that every operation may fail. The workloads of the library are here.
// Another module tests its own with Sweep and Syscalls: package copytree/internal/test/faults does.
//
// A workload is a fixed series of calls: on a File, a direct.File, streams, a cache, mapped memory,
// copies, a Batch, and the calls that package transparent makes. It checks what each call returns.
// A clean run counts the operations below it, those of the driver and plain system calls together.
// TestSweep then runs the workload again and again. In each run one operation fails, or all from
// that one on: with each error, and with a short count. A run demands that
//
//   - the call during which the operation failed returns the error. That of a stream may come
//     later, but not after its Close. A read that has failed is no error if a second one has read
//     the same. EINTR and a short count are no error of a call. From a driver, EAGAIN and ECANCELED
//     mean that the operation has not begun, and the plain call is made.
//   - every other call succeeds.
//   - what was counted as written is in the file, and what was counted as read is what is there. A
//     Sync that returned nil has made the system call, and that has succeeded.
//   - no goroutine, descriptor, buffer, permit or memory of the cache is left, and the run ends.
//
// TestSyscalls does the same with system calls, as openat and io_uring_enter. The workload is a
// process of its own. A seccomp filter has the test decide about each of these calls: to make it,
// or to return an error at once. (strace(1) injects errors, too, but counts the calls of each
// thread apart, and a goroutine may be on any.) The calls of the Go runtime are made: without
// memory it ends the process. The judge knows the file of each call. A call on a file of the
// workload must return the error. No call returns that of another one, as of a ring: there is
// another way.
package faults
