// Package sluice is disk I/O for goroutines: the file API of package os, on a
// scheduler.
//
// Package os blocks a thread for every read that has to wait. Here a
// goroutine that calls ReadAt has the bytes at the price of a system call if
// they are in the page cache; if the disk must be asked, the goroutine waits.
// The requests of all goroutines meet in one [Scheduler], which hands them to
// the kernel in batches through io_uring or Linux AIO, whichever the system
// has. With many requests in flight no thread waits for reads and direct
// writes under io_uring (under Linux AIO: for direct ones). Other calls, and
// all where there is neither, wait in a bounded number of threads.
//
// In a program that uses package os, the calls that open files change, and the type of the
// files; the calls on the files stay as they are:
//
//	f, err := sluice.Open("data") // was os.Open
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer f.Close()
//	n, err := f.ReadAt(buf, off)
//
// A [File] has every method of *os.File with the same results and the same
// errors, but for the differences below, and a few more: ReadAtContext, WriteAtContext, SyncContext, Datasync
// and DatasyncContext, Allocate, PunchHole, Advise, Prefetch and SyncRange,
// OSFile and WithClass.
//
// The package's functions use the [Scheduler] that [Default] returns. A program
// that needs options, or classes of work with limits ([Class]), makes its own:
//
//	s, err := sluice.NewScheduler(sluice.Options{Depth: 256})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer s.Close() // closes its files, too
//	f, err := s.Open("data")
//
// Package direct has files past the page cache (O_DIRECT), and streams through them;
// package cache keeps blocks of such files in a budget of the program's own. Package batch
// performs many operations in one call, and package mapped reads files through mapped memory.
// Module github.com/sluiceio/sluice/copytree copies trees of files. The folder docs of the
// repository has guides, among them one that says which of these is for what.
//
// # Errors
//
// Methods that *os.File has return errors of the same types; the others return
// *fs.PathError. io.EOF is bare. Where a comment says that the error is a context's,
// os.ErrClosed or errors.ErrUnsupported, it is inside: errors.Is finds it.
//
// # Differences from package os
//
// A WriteAt that fails after a part was written returns how much that was;
// that of *os.File returns 0.
//
// Close waits for the file's operations in progress. A Sync that fails makes
// every later Sync and Datasync of that File fail too, because the kernel would
// report success of data that is gone; unless it failed because fsync is not
// possible (EINVAL, EROFS and the like).
//
// A write to a File that was opened with O_SYNC or O_DSYNC returns when the writes
// beside it have ended, too, and fails if one of them has lost data: the kernel may
// report to one write alone what several have lost.
//
// With GOMAXPROCS=1 a ReadAt into memory whose page faults the same program serves
// (userfaultfd) hangs: the page cache is read by a system call that keeps the processor.
//
// A slice that is passed to a File escapes to the heap, since the kernel may
// write into it while the goroutine's stack moves.
//
// # Recording
//
// What becomes of each operation, and when, is kept by a Recorder of package
// trace: [Options].Recorder, [Scheduler.Record], or SLUICE_TRACE=FILE in the
// environment of any program.
//
// # Concurrency
//
// All functions and methods may be called by any number of goroutines at
// once. Reads and writes at offsets do not wait for each other; Read, Write
// and Seek of one File, which share a position, take turns.
package sluice
