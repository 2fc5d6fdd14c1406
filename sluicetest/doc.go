// Package sluicetest has a disk in memory for the tests of programs that must not lose data:
// databases, logs, queues. The disk can reorder and delay operations, fail, freeze and lose power.
// A seed makes its choices.
//
//	d := sluicetest.NewDisk(sluicetest.Options{Seed: seed})
//	log := OpenLog(d.Scheduler(), "log") // the code under test
//	log.Append("a")
//	d = d.Crash()
//	log = OpenLog(d.Scheduler(), "log")
//	… // "a" must be there: Append has returned
//
// The code under test gets the disk's sluice.Scheduler, or Files that are opened on it. Packages
// direct, batch and cache can use the Scheduler, too. The disk has no directories: a slash is an
// ordinary character of a name. Functions of package os do not see the disk's files; use
// [Disk.Rename], [Disk.Remove] and [Disk.Names].
//
// # What a crash leaves
//
// A write survives a crash if a Sync or Datasync that began after the write has returned nil, or if
// the file has O_SYNC or O_DSYNC and the write has returned nil. Of any other write, all sectors,
// some sectors or none survive, and a later write may survive without an earlier one.
//
// The seed chooses a point in the sequence of creations, renames and removals. Changes before the
// point survive, and changes after it are lost. These changes always survive, and so do the changes
// before them:
//
//   - a change before the last [Disk.SyncNames]
//   - a change of a file's name that is followed by a Sync of the file, or a write with O_SYNC
//   - the creation of a file that is followed by a Datasync of it, or a write with O_DSYNC
//
// Real file systems may keep more.
//
// A Sync that fails may lose bytes, even if reads still return the bytes. All later Syncs of the
// File fail.
//
// # Time
//
// In a bubble of testing/synctest, operations take the bubble's time (Options.Latency), so waiting
// takes no real time. Make the Disk in the bubble, and do not use sluice.Default in two bubbles.
// A trace.Recorder has only the time 0 in a bubble.
//
// A goroutine that waits for a mutex stops the bubble's time. So a test in a bubble hangs if the
// code under test holds a mutex during an operation that takes time (Latency, Freeze), and another
// goroutine waits for the mutex. Run such code outside a bubble, or replace the mutex by a channel
// of capacity 1. The position of a File has a mutex, too: let one goroutine at a time use it (Read,
// Write, Seek).
//
// With GOMAXPROCS=1 in a bubble, a seed repeats a run exactly if the machine is idle. On a busy
// machine the Go runtime may preempt a goroutine at another point, so some runs differ. Real-time
// priority prevents that (chrt -f 10). With more processors the order in which goroutines run may
// change the run.
//
// # Limits
//
// The files are in memory of the system, so mmap and OSFile work. Bytes that are written through
// mmap or OSFile may be lost in a crash, even after a Sync. NewDisk does not work on Windows.
//
// A Chain of package batch opens, reads, renames and unlinks by name. Its Stat, Lstat, Mkdir,
// Rmdir, Symlink, HardLink and In are for package os's files: here they fail with
// errors.ErrUnsupported. Packages pebblevfs and copytree name files by package os, so they do not
// see the Disk's files.
package sluicetest
