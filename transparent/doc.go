// Package transparent sends the disk I/O of every *os.File of a program through
// sluice. It is for programs that are built with `sluice build`, `sluice install`, `sluice run` or
// `sluice test`, which import it: these replace a few system calls in the
// standard library's package internal/poll by calls of what this package
// provides. In a program that is built in another way it does nothing.
//
// What goes through sluice: Read, ReadAt, Write, WriteAt, Seek, Sync and the
// copies from file to file that ReadFrom and WriteTo make, of regular files and
// block devices. Results and errors are those of the system calls. Everything
// else takes its old way: sockets, pipes, terminals, files that can be polled, file
// systems in user space, and those of the kernel that are on no disk (/proc,
// /sys …); and what a goroutine of a testing/synctest bubble does.
//
// # Environment
//
//   - SLUICE_DRIVER=uring|aio|pool overrides the choice of driver; off turns
//     everything off.
//   - SLUICE_TRACE=FILE records a trace, as in any program that uses sluice.
//   - SLUICE_STATS=1 prints a line on standard error when the program returns
//     from main or calls os.Exit.
//
// # Goroutine dumps
//
// A goroutine that waits for a queued operation is parked on a channel ("chan receive"), with
// ioengine.(*Request).Wait on top and the method of os.File below; docs/transparent.md has a table.
//
// # Concurrency
//
// A Scheduler of the package's own starts when the package is initialized.
// Operations before that take their old way, as do those that the Scheduler itself
// makes to start. It is never closed.
package transparent
