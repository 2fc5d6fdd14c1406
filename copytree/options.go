package copytree

import (
	"time"

	"github.com/sluiceio/sluice"
)

// Options say how a copy is made. The zero value copies as cp -r does: data,
// directories, symbolic links as such, special files made anew, permissions
// under the umask, and nothing else of the metadata; existing files are
// overwritten in place, directories merged.
type Options struct {
	// Scheduler performs the reads and writes that have to wait. nil is
	// sluice.Default.
	Scheduler *sluice.Scheduler

	Preserve Preserve // what of the metadata the copy gets
	Require  Preserve // which of these it is an error not to get (cp --preserve=xattr; -a only tries)
	Follow   Follow   // which symbolic links are followed
	Make     Make     // what becomes of a file: a copy, or a link to it
	Existing Existing // what is done where the destination has a file already
	Reflink  Reflink  // whether data is shared with the source
	Sparse   Sparse   // whether holes are made

	// Files refuses directories (cp without -r): ErrDirectory for each.
	Files bool
	// OneFileSystem leaves out directories of other file systems than that of
	// the source they were found under; they are made, empty, as cp -x does.
	OneFileSystem bool
	// CopyContents reads FIFOs and devices as if they were files, as
	// cp --copy-contents does. Without it they are made anew.
	CopyContents bool

	// Unlink removes an existing destination file before each copy
	// (cp --remove-destination). Force removes it where it cannot be opened
	// for writing, or a link cannot be made because of it (cp -f).
	Unlink, Force bool
	// Ask is asked before a file is overwritten (cp -i); false leaves it. nil
	// overwrites.
	Ask func(dst string) bool
	// Backup names what a file is renamed to before it is overwritten; nil or
	// "" makes none. Calls are one at a time for one directory.
	Backup func(dst string) (string, error)
	// NumberedBackup says that Backup returns names that nothing has yet, so that
	// a Pair may replace the file that another Pair with the same Dst has made
	// (cp --backup=numbered). Without it that is ErrTwice.
	NumberedBackup bool
	// WriteDangling makes the file that a symbolic link leads to which is
	// Pair.Dst itself, if there is none (cp with POSIXLY_CORRECT in the
	// environment). Without it that is ErrDangling.
	WriteDangling bool

	// Sync says what is on disk when Copy returns without an error.
	Sync Sync
	// Verify reads back each file that was copied, past the page cache where
	// the file system allows it, and compares it with its source.
	Verify bool
	// Resume leaves files alone that are there with the size and time of their
	// source, and copies the rest. It implies PreserveTimes.
	Resume bool
	// DryRun does nothing to the destination, and tells what would be done.
	DryRun bool

	// BlockSize is how many bytes one read or write moves, at least 512,
	// at most 64 MiB; 0 is chosen by size and file system.
	BlockSize int
	// Concurrency is how many files are worked at, at once, at most 1024; 0
	// follows what the caches hold: as many as processors while nothing waits,
	// more when it does.
	Concurrency int

	// OnError is told of each error as it happens. OnDone is told of each file
	// that is finished (cp -v). Both are called one at a time, and hold up the
	// copy while they run.
	OnError func(*Error)
	OnDone  func(Done)
	// OnWait is called once, before the first system calls that take long: when the
	// caches lack what is copied, or a file is larger than 64 KiB. A program of its
	// own may set GOMAXPROCS to twice the processors then: a goroutine in a system
	// call keeps its place for a while. Small files that are in memory do not wait.
	OnWait func()
	// Progress, when not nil, is kept up to date for another goroutine to show.
	Progress *Progress
}

// Preserve says what of a file's metadata its copy gets.
type Preserve uint16

// What can be preserved. ACLs of POSIX are extended attributes on Linux, and
// come with the mode, as with cp -p.
const (
	PreserveMode    Preserve = 1 << iota // permissions, suid, sgid, sticky, and ACLs
	PreserveOwner                        // user and group; where that is refused, suid and sgid are dropped
	PreserveTimes                        // access and modification times, to the nanosecond
	PreserveLinks                        // files that are hard links of each other in the source are in the copy
	PreserveXattr                        // extended attributes other than security.selinux
	PreserveContext                      // security.selinux

	// PreserveAll is what cp -a keeps.
	PreserveAll = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr | PreserveContext
	// NoMode, with neither PreserveMode nor the source's permissions, gives new
	// files what the umask leaves of 0666 and 0777 (cp --no-preserve=mode).
	NoMode Preserve = 1 << 15
)

// Follow says which symbolic links of the source are followed.
type Follow uint8

// The choices for Follow.
const (
	FollowNone      Follow = iota // cp -P
	FollowArguments               // cp -H: the source itself, not what is in it
	FollowAll                     // cp -L; a directory that contains itself is an error
)

// Make says what becomes of a file that is no directory. Links are made to
// files of every kind; they take the place of what is there only with
// Options.Unlink, Force, Ask or Backup.
type Make uint8

// The choices for Make.
const (
	MakeCopy       Make = iota
	MakeHardLink        // cp -l
	MakeSymlink         // cp -s; a relative source only into the current directory
	MakeAttributes      // cp --attributes-only
)

// Existing says what is done where the destination has a file already.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip               // cp -n, --update=none
	SkipFail           // cp --update=none-fail: ErrExists for each
	Older              // cp -u: overwritten only if older than its source
)

// Reflink says whether data is shared with the source, which takes a file
// system with FICLONE (ioctl_ficlonerange(2)): btrfs, xfs, bcachefs, overlay of these.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // where it can be
	ReflinkAlways                // an error where it cannot
	ReflinkNever
)

// Sparse says where the copy of a file has holes.
type Sparse uint8

// The choices for Sparse.
const (
	SparseAuto   Sparse = iota // where the source has them
	SparseAlways               // and in place of each block of zeros
	SparseNever                // nowhere
)

// Sync says what is on disk when Copy returns without an error.
type Sync uint8

// The choices for Sync.
const (
	// SyncNone leaves the writing to the system, as cp does.
	SyncNone Sync = iota
	// SyncFileSystem ends with syncfs(2) of each file system that was written
	// to. An error of writing anything back there is told, without the name of
	// the file.
	SyncFileSystem
	// SyncFiles also calls fsync(2) for each file and directory that was
	// written, many at a time, and tells the errors of each.
	SyncFiles
)

// Done is what happened to one file of the source.
type Done struct {
	Dst, Src string
	What     What
	Bytes    int64         // of data that the copy holds, 0 if it is no regular file
	Took     time.Duration // from the first call for it to the last
	Backup   string        // what the file that was there is now called, if it was renamed
	Removed  bool          // whether a file that was there was removed, rather than written to or renamed
}

// What says what was done with a file.
type What uint8

// The things that are done.
const (
	Copied    What = iota // a regular file by reading and writing, or inside the kernel
	Cloned                // a regular file whose data is shared
	Linked                // a hard link
	Symlinked             // a symbolic link
	MadeDir
	MadeSpecial // a FIFO, socket or device
	Skipped     // it was there, and Options said to leave it
	Merged      // a directory that was there
)
