// Package sluice is disk I/O for many goroutines. It has the file API of package os.
//
// With package os, each read that waits for the disk holds a thread. With this package only the
// goroutine waits: a [Scheduler] hands the operations of all goroutines to the kernel in batches,
// by io_uring or Linux AIO. Operations for which that is not possible are plain system calls, in a
// bounded number of threads. A read of cached bytes is one system call, as with package os.
//
// A program that uses package os changes the calls that open files, and the type of the files:
//
//	f, err := sluice.Open("data") // was os.Open
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer f.Close()
//	n, err := f.ReadAt(buf, off)
//
// A [File] has every method of *os.File, and these: ReadAtContext, WriteAtContext, SyncContext,
// Datasync, DatasyncContext, Allocate, PunchHole, Advise, Prefetch, SyncRange, OSFile, WithClass,
// Stats.
//
// The package's functions use the Scheduler that [Default] returns. A program that needs options
// makes a Scheduler:
//
//	s, err := sluice.NewScheduler(sluice.Options{Depth: 256})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer s.Close() // closes its files, too
//	f, err := s.Open("data")
//
// Other packages:
//
//   - direct reads and writes files past the page cache (O_DIRECT)
//   - cache keeps blocks of direct files in memory
//   - batch performs many operations in one call
//   - copytree copies trees of files (a separate module)
//   - mapped reads files through mapped memory (experimental)
//   - trace records when each operation began and ended
//   - sluicetest is a disk in memory for tests, which can make it fail or lose power
//
// docs/which-api.md says when to use each package. docs/glossary.md defines the words operation,
// cached, plain call, queued, device, budget, ring, leader, ticket and governor.
//
// # Errors
//
// A method with a name of *os.File's returns errors of the same types as *os.File's method. The
// other methods of File return *fs.PathError. io.EOF is returned unwrapped; match every other error
// with errors.Is.
//
// # Differences from package os
//
// A File differs from an *os.File in nine ways:
//
//   - A WriteAt that fails after it has written a part returns the number of bytes written.
//     os.File's WriteAt returns 0.
//   - ReadAt may see a part of a WriteAt that runs at the same time, even on xfs, where a pread(2)
//     sees all of a write or nothing.
//   - Close waits for the file's operations in progress.
//   - Once a Sync has failed, later Syncs and Datasyncs of the File fail, too: see [File.Sync].
//   - With O_SYNC or O_DSYNC, a write waits for other writes that run at the same time, and fails
//     if one of them has lost data, because the kernel reports the loss to only one of them.
//   - If a Read fails or the file grows, descriptors that share a position may read bytes twice or
//     skip bytes: see [File.Read].
//   - SyscallConn().Read calls a function of the program. While the function runs, calls that use
//     the file's position wait: see [File.SyscallConn].
//   - With GOMAXPROCS=1, ReadAt hangs if a goroutine of the program must serve the page faults of
//     the slice (userfaultfd).
//   - A slice that is passed to a File escapes to the heap, because the kernel may write into it.
//
// # Recording
//
// A Recorder of package trace keeps the times of each operation. [Options].Recorder and
// [Scheduler.Record] set it. If SLUICE_TRACE=FILE is in the environment, the program records into
// FILE.
//
// # Concurrency
//
// Any number of goroutines may call all functions and methods at once. ReadAt and WriteAt do not
// wait for each other. Read, Write and Seek of one File share a position, so they take turns.
package sluice
