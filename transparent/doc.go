// Package transparent sends the disk I/O of every *os.File of a program through sluice, without
// changes to the program. Only programs built with `sluice build`, `sluice install`, `sluice run`
// or `sluice test` import it: these commands also replace a few system calls in the standard
// library's package internal/poll by calls of this package. In any other program it does nothing.
//
// For regular files and block devices, Read, ReadAt, Write, WriteAt, Seek, Sync and copies from
// file to file go through sluice, with the results and errors of the system calls. All other I/O
// makes the same system calls as without sluice:
//
//   - Truncate and all other methods
//   - copies between a file and a socket
//   - sockets, pipes, terminals and other files that can be polled
//   - file systems in user space, and file systems on no disk (/proc, /sys)
//   - goroutines in a bubble of testing/synctest
//
// # Environment
//
//   - SLUICE_DRIVER=uring|aio|pool chooses the driver. SLUICE_DRIVER=off turns sluice off. If the
//     name is wrong, or the system does not have the driver, sluice is also off, and a line on
//     standard error says so.
//   - SLUICE_TRACE=FILE records a trace, as in any program that uses sluice.
//   - SLUICE_DEBUG_ADDR=localhost:6060 serves the live look of package trace/live at
//     http://localhost:6060/debug/sluice/. Other machines reach the live look only if the address
//     names an IP address of this machine, or 0.0.0.0.
//   - SLUICE_STATS=1 prints a line on standard error when the program returns from main or calls
//     os.Exit.
//
// # Goroutine dumps
//
// A goroutine that waits for a queued operation is in state "chan receive", with
// ioengine.(*Request).Wait at the top of its stack. docs/transparent.md explains other stacks.
//
// # Concurrency
//
// The package starts a Scheduler when it is initialized, and never closes it. Operations of os.File
// before that make the same system calls as without sluice.
package transparent
