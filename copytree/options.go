package copytree

import "github.com/sluiceio/sluice"

// Options says how a copy is made. The zero value copies as cp -r does: data,
// directories, symbolic links as links, special files made anew, permissions
// restricted by the umask, and no other metadata. Existing files are overwritten in
// place, and directories are merged.
type Options struct {
	// Scheduler performs the reads that have to wait, and the fsyncs. nil is
	// sluice.Default.
	Scheduler *sluice.Scheduler

	Preserve Preserve // the metadata that the copy gets
	Require  Preserve // those of Preserve whose refusal is an error (cp --preserve=xattr; -a only tries)
	Follow   Follow   // which symbolic links are followed
	Make     Make     // what is made of a file: a copy, or a link to it
	Existing Existing // what is done where a file exists at the destination
	Reflink  Reflink  // whether data is shared with the source
	Sparse   Sparse   // whether holes are made

	// Files refuses directories with ErrDirectory (cp without -r).
	Files bool
	// OneFileSystem does not copy the content of directories that are on another
	// file system than their parent; they are made, empty, as by cp -x.
	OneFileSystem bool
	// CopyContents reads FIFOs and devices as if they were files, as by
	// cp --copy-contents. Without it they are made anew.
	CopyContents bool

	// Unlink removes an existing file before it is replaced
	// (cp --remove-destination). Force removes it if it cannot be opened for
	// writing, or if a link cannot be made because of it (cp -f).
	Unlink, Force bool
	// Ask reports whether an existing file is to be overwritten (cp -i). nil
	// overwrites.
	Ask func(dst string) bool
	// Backup returns the path that an existing file is renamed to before it is
	// overwritten, in the same directory; nil or "" makes no backup. It is called
	// by one goroutine at a time.
	Backup func(dst string) (string, error)
	// NumberedBackup says that Backup always returns a new name, so that a Pair may
	// replace the file that another Pair with the same Dst has made
	// (cp --backup=numbered). Without it, that is ErrTwice.
	NumberedBackup bool
	// WriteDangling creates the file that Pair.Dst leads to, if Pair.Dst is a
	// symbolic link to a file that does not exist (cp with POSIXLY_CORRECT in the
	// environment). Without it, that is ErrDangling.
	WriteDangling bool

	// Sync says what is on disk when Copy returns without an error.
	Sync Sync
	// Verify reads each copied file back, past the page cache where the file
	// system allows it, and compares it with its source.
	Verify bool
	// Resume leaves existing files that have the size and modification time of
	// their source, as the file system keeps it, and copies the others. It implies
	// PreserveTimes. A file that lacks the permissions (PreserveMode) or the owner
	// (PreserveOwner, if it is in Require) is copied, too: a copy gets these last.
	Resume bool
	// DryRun does not touch the destination, and reports what would be done.
	DryRun bool

	// BlockSize is how many bytes one read or write moves, from 512 bytes to 64 MiB; 0
	// chooses by the file's size and file system.
	BlockSize int
	// Concurrency is how many files are copied at once, at most 1024. 0 copies as many as
	// there are processors, and more when a disk must be read. Where data is shared (Reflink),
	// and not read back (Verify), it is one at a time: a file system shares no more at once.
	// When a disk must be read, a few goroutines read ahead, unless Concurrency is 1.
	Concurrency int

	// OnError is called for each error when it happens. Calls of it and of OnDone are one
	// at a time, by any goroutine of the copy. The copy may wait while they run. No function of
	// the Options may close the Scheduler, which waits for the copy. One that ends its goroutine
	// (runtime.Goexit, as the FailNow of a test does) stops the copy.
	OnError func(*Error)
	// OnDone is called for each finished file (cp -v).
	OnDone func(Done)
	// OnWait is called once, before the first system calls that take long: those for
	// a large file, or for data that the page cache lacks. A program may
	// then set GOMAXPROCS to twice the number of processors, because a goroutine in a
	// system call keeps its place for a while. A library should not do that.
	OnWait func()
	// Progress, if not nil, is kept up to date, for another goroutine to read.
	Progress *Progress
}

// Preserve is a set of kinds of metadata.
type Preserve uint16

// The kinds of metadata. POSIX ACLs are extended attributes on Linux; they are
// copied with the mode, as by cp -p.
const (
	PreserveMode    Preserve = 1 << iota // permissions, suid, sgid, sticky, and ACLs
	PreserveOwner                        // user and group; if they are refused, the copy gets neither suid nor sgid
	PreserveTimes                        // access and modification times, to the nanosecond
	PreserveLinks                        // hard links: two names of one file in the source are names of one copy
	PreserveXattr                        // extended attributes other than security.selinux
	PreserveContext                      // security.selinux

	// PreserveAll is what cp -a keeps.
	PreserveAll = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr | PreserveContext
	// NoMode, without PreserveMode, gives new files and directories the permissions
	// 0666 and 0777, restricted by the umask, in place of the source's
	// (cp --no-preserve=mode).
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

// Make says what is made of a file that is no directory. Links are made to files of
// every kind. They replace an existing file only with Options.Unlink, Force, Ask or
// Backup.
type Make uint8

// The choices for Make.
const (
	MakeCopy       Make = iota
	MakeHardLink        // cp -l
	MakeSymlink         // cp -s; with a relative source only in the current directory
	MakeAttributes      // cp --attributes-only
)

// Existing says what is done where a file exists at the destination.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip               // cp -n, --update=none
	SkipFail           // cp --update=none-fail: the file is left, with ErrExists
	Older              // cp -u: the file is overwritten if it is older than its source
)

// Reflink is whether data is shared with the source. File systems with FICLONE can
// do that (ioctl_ficlonerange(2)): btrfs, xfs, bcachefs, and overlays of these.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // where that is possible
	ReflinkAlways                // always; it is an error where that is impossible
	ReflinkNever
)

// Sparse says where the copy of a file has holes.
type Sparse uint8

// The choices for Sparse.
const (
	SparseAuto   Sparse = iota // where the source has them
	SparseAlways               // also in place of each block of zeros
	SparseNever                // nowhere
)

// Sync says what is on disk when Copy returns without an error.
type Sync uint8

// The choices for Sync.
const (
	// SyncNone leaves it to the system when data is written to disk, as cp does.
	SyncNone Sync = iota
	// SyncFileSystem calls syncfs(2) in the end, for each file system that was
	// written to. It reports errors of writing to that disk, without the name of the
	// file. It calls fsync(2) for a block device, and for a file on another file
	// system than its directory: behind a symbolic link at Dst, or mounted. Only
	// Linux has syncfs(2). Elsewhere nothing is copied, and the error is
	// errors.ErrUnsupported.
	SyncFileSystem
	// SyncFiles also calls fsync(2) for each file and directory that was written,
	// many at a time, and reports the errors of each. Where there is no syncfs(2) it
	// calls fsync(2) alone.
	SyncFiles
)
