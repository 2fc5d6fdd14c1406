package copytree

import (
	"fmt"

	"github.com/sluiceio/sluice"
)

// Options are the options of a copy. The zero value copies as cp -r does: data, directories,
// symbolic links as links, and new special files. Permissions are restricted by the umask; no other
// metadata is copied. Existing files are overwritten in place, and directories are merged.
type Options struct {
	// Scheduler performs fsyncs, and reads that have to wait. nil is sluice.Default.
	Scheduler *sluice.Scheduler

	Preserve Preserve // the metadata that the copy gets, if the system allows it
	Require  Preserve // the part of Preserve whose refusal is an error
	Existing Existing // what to do with an existing file at the destination
	Reflink  Reflink  // whether data is shared with the source

	// Sync says what is on disk when Copy returns without an error.
	Sync Sync
	// Verify reads each copied file back and compares it with its source. If the file system allows
	// it, the data comes from the disk, not from the page cache.
	Verify bool
	// Resume leaves existing files that are complete, and copies the rest. A file is complete if it
	// has the size and modification time of its source, its permissions (with PreserveMode), and
	// its owner (with PreserveOwner in Require). Resume implies PreserveTimes.
	Resume bool

	// Concurrency is the number of files that are copied at once, at most 1024. 0 means the number
	// of processors, and more when a disk must be read. 1 also reads no file ahead.
	Concurrency int

	// OnError is called for each error when it happens, and OnDone for each finished file. They are
	// called one at a time, by any goroutine of the copy, which waits for them. Neither may close
	// the Scheduler. If one ends its goroutine (runtime.Goexit, as t.FailNow does), the copy stops.
	OnError func(*Error)
	OnDone  func(Done)
	// Progress, if not nil, is updated for other goroutines to read.
	Progress *Progress
}

// Preserve is a set of kinds of metadata.
type Preserve uint16

// The kinds of metadata. POSIX ACLs are extended attributes on Linux. They are copied with the
// mode, as in cp -p.
const (
	PreserveMode    Preserve = 1 << iota // permissions, suid, sgid, sticky, and ACLs
	PreserveOwner                        // user and group; if refused, neither suid nor sgid
	PreserveTimes                        // access and modification times, to the nanosecond
	PreserveLinks                        // names of one file in the source are names of one copy
	PreserveXattr                        // extended attributes other than security.selinux
	PreserveContext                      // security.selinux

	// PreserveAll is the set of cp -a.
	PreserveAll = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr |
		PreserveContext
)

// Existing says what to do with an existing file at the destination.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip               // the file stays
	SkipFail           // the file stays, with ErrExists
	Older              // the file is overwritten if it is older than its source
)

// Reflink is the choice to share data with the source. File systems with FICLONE can share
// (ioctl_ficlonerange(2)): btrfs, xfs, bcachefs, and overlays of them.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // share if possible
	ReflinkAlways                // share, or fail
	ReflinkNever
)

// Sync says what is on disk when Copy returns without an error, and what an error names.
//
//	SyncNone         whatever the system has written, as in cp
//	SyncFileSystem   the whole copy: one syncfs(2) for each file system. Its error names no file.
//	SyncFiles        the whole copy: also an fsync(2) for each file. Its error names the file.
//
// Only Linux has syncfs(2). Elsewhere SyncFileSystem copies nothing and returns
// errors.ErrUnsupported; SyncFiles only calls fsync.
type Sync uint8

// The choices for Sync.
const (
	SyncNone Sync = iota
	SyncFileSystem
	SyncFiles
)

// check returns an error if Preserve or Require has a bit without a constant in this package. The
// engine checks the rest.
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
