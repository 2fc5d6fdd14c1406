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
// The code under test gets a [sluice.Scheduler], or Files that were opened on it. They are used as
// any others, by packages direct, batch and cache, too. A name is a file of the disk: there are no
// directories, and a slash in a name is a character. Package os does not see these files;
// [Disk.Rename], [Disk.Remove] and [Disk.Names] take its place.
//
// # What a crash leaves
//
// What is covered by a Sync or Datasync that has returned nil is there, and so is a write with
// O_SYNC or O_DSYNC that has returned nil. Such a write keeps no other write. Any other write, also
// one in progress, may be there in full, in part (whole sectors) or not at all, whatever the order
// of the writes.
//
// Creations, renames and removals survive in their order, up to a point that the seed chooses. That
// point is never before the last [Disk.SyncNames]. A Sync of a file, or a write to it with O_SYNC,
// moves the point to the last change of the file's name before that call. A Datasync, or a write
// with O_DSYNC, moves it to the file's creation alone: a rename needs a Sync or SyncNames. Real
// file systems may keep more; a program must not rely on it.
//
// After a Sync that has failed, the bytes that it covers may be lost, though reads return them and
// the next fsync of the file succeeds. So it is on Linux, and a File remembers it.
//
// # Time
//
// In a bubble of testing/synctest, operations take the bubble's time (Options.Latency), which costs
// none, and a test can look at a program that waits. A Scheduler that was made in a bubble can be
// used in that bubble alone; so make the Disk there. [sluice.Default] is for one bubble at most. A
// goroutine that waits for a mutex keeps a bubble's time from passing: in a bubble let one
// goroutine at a time use the position of a File (Read, Write, Seek). A trace.Recorder does not
// know the bubble's time: each operation that it records there has the time 0.
//
// With GOMAXPROCS=1 in a bubble, a seed repeats a run exactly. Otherwise the result also depends on
// the order in which goroutines make their calls: what happens to an operation depends on the seed,
// on what it does, and on how often the same was done before.
//
// Files are those of the system, in memory, so mmap and OSFile work. The disk does not know what is
// written in these ways: a crash may lose it, also if the file was synced after that. There is no
// such disk on Windows.
package sluicetest
