// Package option has all options of a copy, as the engine reads them. The options of package
// copytree are a part of them. Package gnucp sets the rest by a command line.
package option

import (
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Options are the options of a copy. The zero value copies as cp -r does: data, directories,
// symbolic links as links, and new special files. Permissions are restricted by the umask; no other
// metadata is copied. Existing files are overwritten in place, and directories are merged.
type Options struct {
	Preserve Preserve // the metadata that the copy gets
	Require  Preserve // the part of Preserve whose refusal is an error
	Follow   Follow   // which symbolic links are followed
	Make     Make     // what to make of a file: a copy, or a link to it
	Existing Existing // what to do with an existing file at the destination
	Reflink  Reflink  // whether data is shared with the source
	Sparse   Sparse   // whether holes are made
	Sync     Sync     // what is on disk when the copy ends

	Files         bool // refuse directories with fault.ErrDirectory (cp without -r)
	OneFileSystem bool // leave the directories of other file systems empty (cp -x)
	CopyContents  bool // read FIFOs and devices as if they were files (cp --copy-contents)

	Unlink bool // remove an existing file before the copy (cp --remove-destination)
	// Force removes an existing file that cannot be opened for writing, or that is in the way of a
	// link (cp -f).
	Force bool
	// WriteDangling creates the missing target of a symbolic link at Pair.Dst (cp with
	// POSIXLY_CORRECT in the environment). Without it, the error is fault.ErrDangling.
	WriteDangling bool
	// NumberedBackup says that Backup returns a new name each time. Then a Pair may replace a file
	// of another Pair with the same Dst (cp --backup=numbered). Without it, that is fault.ErrTwice.
	NumberedBackup bool

	Verify bool // read each copied file back, and compare it with its source
	// Resume leaves each existing file that is a complete copy of its source by size, time, mode
	// and owner. It implies PreserveTimes. The owner counts only if Require has it.
	Resume bool
	DryRun bool // touch nothing, and report what a copy would do

	// Ask reports whether to overwrite an existing file (cp -i). nil overwrites.
	Ask func(dst string) bool
	// Backup returns a path in the same directory. An existing file is renamed to it before the
	// copy. "" makes no backup, and neither does nil.
	Backup func(dst string) (string, error)

	BlockSize   int // bytes of a read or write: 512 to 64 MiB; 0: by the file
	Concurrency int // files that are copied at once: at most 1024; 0: by processors

	// The functions below are called one at a time, by any goroutine of the copy. nil is not
	// called. None may close the Scheduler, because Close waits for the copy. A function that ends
	// its goroutine (runtime.Goexit) stops the copy.
	OnError func(*report.Error) // for each error
	OnDone  func(report.Done)   // for each finished file (cp -v)
	// OnWait is called once, before the first system calls that take long: for a large file, or for
	// uncached data. A goroutine in a system call keeps its P for a while, so a program may now set
	// GOMAXPROCS to twice the number of processors.
	OnWait func()

	Progress *report.Progress // updated for other goroutines, if not nil
}

// Pair is a source and the path of its copy.
type Pair struct {
	Dst, Src string
	// Alone copies a directory without its entries. If Dst exists, only its attributes are copied
	// (cp --parents). Symbolic links to a directory are followed, in Src and in Dst.
	Alone bool
	// Parents says that the caller makes the directories above Dst before the copy (cp --parents).
	// With DryRun they need not exist.
	Parents bool
}

// Preserve is a set of kinds of metadata.
type Preserve uint16

// The kinds of metadata. POSIX ACLs are extended attributes on Linux. They are copied with the
// mode, as in cp -p.
const (
	PreserveMode    Preserve = 1 << iota // permissions, suid, sgid, sticky, and ACLs
	PreserveOwner                        // user and group; without them, neither suid nor sgid
	PreserveTimes                        // access and modification times, to the nanosecond
	PreserveLinks                        // names of one file in the source are names of one copy
	PreserveXattr                        // extended attributes other than security.selinux
	PreserveContext                      // security.selinux

	// PreserveAll is the set of cp -a.
	PreserveAll = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr |
		PreserveContext
	// NoMode, without PreserveMode, gives new files and directories the permissions 0666 and 0777,
	// restricted by the umask, instead of the source's (cp --no-preserve=mode).
	NoMode Preserve = 1 << 15
)

// Follow says which symbolic links of the source are followed.
type Follow uint8

// The choices for Follow.
const (
	FollowNone      Follow = iota // cp -P
	FollowArguments               // cp -H: only the source itself
	FollowAll                     // cp -L; a directory that contains itself is an error
)

// Make says what to make of a file that is no directory. Links are made to files of every kind.
// They replace an existing file only with Options.Unlink, Force, Ask or Backup.
type Make uint8

// The choices for Make.
const (
	MakeCopy       Make = iota
	MakeHardLink        // cp -l
	MakeSymlink         // cp -s; with a relative source only in the current directory
	MakeAttributes      // cp --attributes-only
)

// Existing says what to do with an existing file at the destination.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip               // cp -n, --update=none
	SkipFail           // cp --update=none-fail: the file stays, with fault.ErrExists
	Older              // cp -u: the file is overwritten if it is older than its source
)

// Reflink is the choice to share data with the source.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // share if possible, unless holes are made or filled
	ReflinkAlways                // share, or fail: EXDEV, EOPNOTSUPP, EINVAL, ETXTBSY …
	ReflinkNever
)

// Sparse says where the copy of a file has holes.
type Sparse uint8

// The choices for Sparse.
const (
	SparseAuto   Sparse = iota // where the source has holes
	SparseAlways               // also for each block of zeros
	SparseNever                // nowhere
)

// Sync says what is on disk when the copy ends.
type Sync uint8

// The choices for Sync.
const (
	SyncNone       Sync = iota // whatever the system has written, as in cp
	SyncFileSystem             // syncfs(2) at the end, for each file system that was written
	SyncFiles                  // also fsync(2) for each file and directory that was written
)

// Check returns an error if an option is invalid, or not possible on this system. hasFileSystems
// is true if the system has syncfs(2).
func (o *Options) Check(hasFileSystems bool) error {
	switch {
	case o.BlockSize != 0 && (o.BlockSize < 512 || o.BlockSize > 64<<20):
		return fmt.Errorf("copytree: Options.BlockSize of %d bytes is not between 512 and 64 MiB", o.BlockSize)
	case o.Concurrency < 0 || o.Concurrency > 1024:
		return fmt.Errorf("copytree: Options.Concurrency of %d is not between 0 and 1024", o.Concurrency)
	}
	for _, c := range []struct {
		name       string
		value, max uint8
	}{
		{"Follow", uint8(o.Follow), uint8(FollowAll)},
		{"Make", uint8(o.Make), uint8(MakeAttributes)},
		{"Existing", uint8(o.Existing), uint8(Older)},
		{"Reflink", uint8(o.Reflink), uint8(ReflinkNever)},
		{"Sparse", uint8(o.Sparse), uint8(SparseNever)},
		{"Sync", uint8(o.Sync), uint8(SyncFiles)},
	} {
		if c.value > c.max {
			return fmt.Errorf("copytree: Options.%s of %d is none of its choices", c.name, c.value)
		}
	}
	for _, p := range []struct {
		name  string
		value Preserve
	}{{"Preserve", o.Preserve}, {"Require", o.Require}} {
		if p.value&^(PreserveAll|NoMode) != 0 {
			return fmt.Errorf("copytree: Options.%s of %#x has more than the constants of Preserve", p.name, p.value)
		}
	}
	if o.Sync == SyncFileSystem && !hasFileSystems {
		return fmt.Errorf("copytree: Options.Sync of SyncFileSystem needs syncfs(2), which this system lacks (use SyncFiles): %w", errors.ErrUnsupported)
	}
	return nil
}

// MakesLinks reports whether to make links to the source instead of copies.
func (o *Options) MakesLinks() bool { return o.Make == MakeHardLink || o.Make == MakeSymlink }

// CopiesContent reports whether the content of a file of that type is copied. Files of other types
// are made anew.
func (o *Options) CopiesContent(t at.Type) bool {
	return t == at.Regular || o.CopyContents && t != at.Symlink
}

// FollowsEntries reports whether symbolic links inside a tree are followed.
func (o *Options) FollowsEntries() at.Follow { return at.Follow(o.Follow == FollowAll) }

// CopiesSymlink reports whether a symbolic link would be copied as a link. A root is the source
// that the caller named.
func (o *Options) CopiesSymlink(root bool) bool {
	return o.Follow == FollowNone || o.Follow == FollowArguments && !root
}
