package copytree

import (
	"fmt"

	"github.com/sluiceio/sluice"
)

// Options says how a copy is made. The zero value copies as cp -r does: data, directories,
// symbolic links as links, special files made anew, the permissions restricted by the umask, and
// no other metadata. Existing files are overwritten in place, and directories are merged.
type Options struct {
	// Scheduler performs the reads that have to wait, and the fsyncs. nil is sluice.Default.
	Scheduler *sluice.Scheduler

	Preserve Preserve // the metadata that the copy gets, where the system allows it
	Require  Preserve // the part of Preserve whose refusal is an error
	Existing Existing // what is done where a file exists at the destination
	Reflink  Reflink  // whether data is shared with the source

	// Sync says what is on disk when Copy returns without an error.
	Sync Sync
	// Verify reads each copied file back and compares it with its source. It reads past the page
	// cache where the file system allows that.
	Verify bool
	// Resume leaves existing files that are complete, and copies the rest. A file is complete if
	// it has the size and modification time of its source, and the permissions (PreserveMode) and
	// owner (PreserveOwner in Require), which a copy gets last. Resume implies PreserveTimes.
	Resume bool

	// Concurrency is how many files are copied at once, at most 1024. 0 copies as many as there
	// are processors, and more when a disk must be read. 1 also reads no file ahead.
	Concurrency int

	// OnError is called for each error when it happens, OnDone for each finished file. Calls are
	// one at a time, by any goroutine of the copy, which may wait for them. Neither may close the
	// Scheduler. One that ends its goroutine (runtime.Goexit, as t.FailNow does) stops the copy.
	OnError func(*Error)
	OnDone  func(Done)
	// Progress is kept up to date for another goroutine to read, if not nil.
	Progress *Progress
}

// Preserve is a set of kinds of metadata.
type Preserve uint16

// The kinds of metadata. POSIX ACLs are extended attributes on Linux; they are copied with the
// mode, as by cp -p.
const (
	PreserveMode    Preserve = 1 << iota // permissions, suid, sgid, sticky, and ACLs
	PreserveOwner                        // user and group; if refused, neither suid nor sgid
	PreserveTimes                        // access and modification times, to the nanosecond
	PreserveLinks                        // names of one file in the source are names of one copy
	PreserveXattr                        // extended attributes other than security.selinux
	PreserveContext                      // security.selinux

	// PreserveAll is what cp -a keeps.
	PreserveAll = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr |
		PreserveContext
)

// Existing says what is done where a file exists at the destination.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip               // the file is left
	SkipFail           // the file is left, with ErrExists
	Older              // the file is overwritten if it is older than its source
)

// Reflink is whether data is shared with the source. File systems with FICLONE can do that
// (ioctl_ficlonerange(2)): btrfs, xfs, bcachefs, and overlays of these.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // where that is possible
	ReflinkAlways                // always; it is an error where that is impossible
	ReflinkNever
)

// Sync says what is on disk when Copy returns without an error, and how an error is reported.
//
//	SyncNone         what the system has written by then, as with cp
//	SyncFileSystem   all of the copy: one syncfs(2) for each file system. Its error names no file.
//	SyncFiles        all of the copy: also an fsync(2) for each file. Its error names the file.
//
// Only Linux has syncfs(2). Elsewhere SyncFileSystem copies nothing and returns
// errors.ErrUnsupported; SyncFiles calls fsync alone.
type Sync uint8

// The choices for Sync.
const (
	SyncNone Sync = iota
	SyncFileSystem
	SyncFiles
)

// check returns an error if Preserve or Require has a bit that is no constant of this package. The
// engine checks all that is its own.
func (o *Options) check() error {
	for _, p := range []struct {
		name  string
		value Preserve
	}{{"Preserve", o.Preserve}, {"Require", o.Require}} {
		if p.value&^PreserveAll != 0 {
			return fmt.Errorf("copytree: Options.%s of %#x has more than the constants of Preserve", p.name, p.value)
		}
	}
	return nil
}
