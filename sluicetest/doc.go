// Package sluicetest has a disk in memory for the tests of programs that must not lose data:
// databases, logs, queues. The disk reorders operations, is slow, fails, freezes and loses power,
// as a seed decides.
//
//	d := sluicetest.NewDisk(sluicetest.Options{Seed: seed})
//	log := OpenLog(d.Scheduler(), "log") // the code under test
//	log.Append("a")
//	d = d.Crash()
//	log = OpenLog(d.Scheduler(), "log")
//	… // "a" must be there: Append has returned
//
// The code under test gets the disk's sluice.Scheduler, or Files that were opened on it. Packages
// direct, batch and cache work with them, too. The disk has no directories: a slash in a name is a
// character. Package os does not see its files; use [Disk.Rename], [Disk.Remove] and [Disk.Names].
//
// # What a crash leaves
//
// A crash keeps a write if a Sync or Datasync that began after it has returned nil, or if the file
// has O_SYNC or O_DSYNC and the write has returned nil. It may keep any other write in full, in
// part (whole sectors) or not at all, in any order.
//
// Creations, renames and removals survive in their order, up to a point that the seed chooses:
//
//   - the point is never before the last [Disk.SyncNames]
//   - a Sync of a file, or a write with O_SYNC, moves it to the last change of the file's name
//   - a Datasync, or a write with O_DSYNC, moves it to the file's creation only
//
// Real file systems may keep more; a program must not rely on it.
//
// A Sync that fails may lose bytes, although reads still return them and the next fsync succeeds.
// Linux does the same; a File remembers the error.
//
// # Time
//
// In a bubble of testing/synctest, operations take the bubble's time (Options.Latency), so a test
// that waits costs none. Make the Disk in the bubble: a Scheduler belongs to the bubble that it was
// made in, and sluice.Default to one bubble at most. Let one goroutine at a time use the position
// of a File (Read, Write, Seek): a wait for a mutex stops the bubble's time. A trace.Recorder does
// not know the bubble's time: all its times are 0.
//
// With GOMAXPROCS=1 in a bubble, a seed repeats a run exactly. Otherwise the order of the
// goroutines' calls counts, too.
//
// Files are the system's, in memory, so mmap and OSFile work. A crash may lose bytes that were
// written in these ways, even after a Sync. Windows has no disk of this kind.
package sluicetest
