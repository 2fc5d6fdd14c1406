// Package sluice is disk I/O for goroutines: the file API of package os, on a scheduler.
//
// Package os holds a thread for every read that waits for the disk. Here only the goroutine waits:
// the [Scheduler] queues its operation, and hands the operations of all goroutines to the kernel in
// batches, through io_uring or Linux AIO. Cached bytes cost one system call, as with package os.
// Operations that cannot be queued are plain calls, in a bounded number of threads. A system
// without io_uring and AIO has plain calls only.
//
// A program that uses package os changes only the calls that open files, and the type of the files:
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
// The package's functions use the Scheduler that [Default] returns. A program that needs options,
// or a [Class] with limits, makes its own:
//
//	s, err := sluice.NewScheduler(sluice.Options{Depth: 256})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer s.Close() // closes its files, too
//	f, err := s.Open("data")
//
// Other packages of the module:
//
//   - direct has files past the page cache (O_DIRECT), and streams through them
//   - cache keeps blocks of direct files, within a budget
//   - batch performs many operations in one call
//   - copytree copies trees of files (a separate module)
//   - mapped reads files through mapped memory (experimental)
//   - trace records operations
//   - sluicetest is a disk in memory for tests, which fails and loses power
//
// docs/which-api.md says when to use which. docs/glossary.md explains the ten words that the
// comments use: operation, cached, plain call, queued, device, budget, ring, leader, ticket,
// governor.
//
// # Errors
//
// Methods that *os.File has return errors of the same types. All other methods return
// *fs.PathError. io.EOF is returned unwrapped; match every other error with errors.Is.
//
// # Differences from package os
//
// A File differs from an *os.File in nine ways:
//
//   - WriteAt that fails after a part returns the bytes written. os.File.WriteAt returns 0.
//   - ReadAt is not atomic with overlapping WriteAts, not even on xfs, where pread(2) is.
//   - Close waits for the file's operations in progress.
//   - Once a Sync has failed, later Syncs and Datasyncs of the File fail too: see [File.Sync].
//   - With O_SYNC or O_DSYNC, a write returns after the writes that run beside it. It fails if one
//     of them has lost data, because the kernel reports a loss only once.
//   - Descriptors that share a position may read bytes twice or skip them, if a Read fails or the
//     file grows: see [File.Read].
//   - During the Read of [File.SyscallConn], calls that use the file's position wait.
//   - With GOMAXPROCS=1, ReadAt hangs if the same program serves the page faults of its memory
//     (userfaultfd).
//   - A slice that is passed to a File escapes to the heap, because the kernel may write into it.
//
// # Recording
//
// A Recorder of package trace keeps the path and the times of each operation. [Options].Recorder
// and [Scheduler.Record] start one. So does SLUICE_TRACE=FILE in the environment of any program.
//
// # Concurrency
//
// Any number of goroutines may call all functions and methods at once. Reads and writes at offsets
// do not wait for each other. Read, Write and Seek of one File share a position, so they take
// turns.
package sluice
