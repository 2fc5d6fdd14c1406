// Package faults tests that every operation may fail. It has the workloads of the library. Another
// module tests its own workloads with Sweep and Syscalls, as package copytree/internal/test/faults
// does.
//
// A workload is a fixed series of calls: on a File, a direct.File, streams, a cache, mapped memory,
// copies, a Batch, and the calls of package transparent. It checks each call's results. A clean run
// counts the operations below it: driver operations and plain calls. TestSweep then repeats the
// workload. In each run one operation fails, or all operations from one on. It fails with each
// error, and with a short count. The requirements of a run:
//
//   - The call in which the operation failed returns the error. A stream may return it later, but
//     not after its Close. A failed read is no error if a second read returned the same bytes.
//     EINTR and a short count are no errors of a call. From a driver, EAGAIN and ECANCELED mean
//     that the operation has not begun, and a plain call replaces it. ENOMEM of a read or a write
//     may mean that, too.
//   - Every other call succeeds.
//   - Bytes that were counted as written are in the file, and bytes that were counted as read are
//     the file's. A Sync that returned nil has made a successful system call.
//   - No goroutine, descriptor, buffer, permit or memory of the cache is left, and the run ends.
//
// TestSyscalls does the same with system calls such as openat and io_uring_enter. The workload runs
// in another process. A seccomp filter lets the test decide about each system call: make it, or
// return an error. (strace(1) injects errors, too, but counts calls by thread, and a goroutine may
// be on any.) Calls of the Go runtime are always made: without memory it ends the process. The
// judge knows the file of each call. If a system call on a workload's file fails, the workload's
// call must return the error. If another system call fails, such as a ring's, no call of the
// workload returns the error: sluice has another way.
package faults
