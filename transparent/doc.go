// Package transparent sends the disk I/O of every *os.File of a program through
// sluice, without changes to the program. It is imported by programs that are built
// with `sluice build`, `sluice install`, `sluice run` or `sluice test`. These commands
// also replace a few system calls in the standard library's package internal/poll by
// calls of this package. In a program built in another way it does nothing.
//
// For regular files and block devices these go through sluice: Read, ReadAt, Write,
// WriteAt, Seek, Sync, and the copies from file to file that ReadFrom and WriteTo make.
// Results and errors are those of the system calls. Everything else makes the same
// system calls as without sluice: Truncate and all other methods, copies between a file
// and a socket, sockets, pipes, terminals, files that can be polled, file systems in user
// space, file systems of the kernel that are on no disk (/proc, /sys and others), and
// goroutines in a bubble of testing/synctest.
//
// # Environment
//
//   - SLUICE_DRIVER=uring|aio|pool chooses the driver; SLUICE_DRIVER=off turns
//     everything off. So does any other value, and a driver that the system does not
//     have, after a line on standard error.
//   - SLUICE_TRACE=FILE records a trace, as in any program that uses sluice.
//   - SLUICE_STATS=1 prints a line on standard error when the program returns from
//     main or calls os.Exit.
//
// # Goroutine dumps
//
// A goroutine that waits for a queued operation is parked on a channel ("chan
// receive"). ioengine.(*Request).Wait is at the top of its stack, and the method of os.File
// further down. docs/transparent.md has a table.
//
// # Concurrency
//
// The package starts a Scheduler of its own when it is initialized, and never closes
// it. Operations before that make the same system calls as without sluice, and so do
// those that the Scheduler itself makes to start.
package transparent
