// Package option has the choices of a copy as the packages below copytree read
// them. Package copytree has the same types with their documentation and converts
// its own to these: the numbers of the constants are the same there, which a test
// of copytree checks.
package option

import "github.com/sluiceio/sluice/copytree/internal/at"

// Options says how entries and directories are copied. The fields mean what those
// of copytree.Options do.
type Options struct {
	Preserve Preserve
	Require  Preserve
	Follow   Follow
	Make     Make
	Existing Existing
	Reflink  uint8 // a content.Reflink
	Sparse   uint8 // a content.Sparse
	Sync     Sync

	Files, OneFileSystem, CopyContents bool
	Unlink, Force, WriteDangling       bool
	NumberedBackup                     bool
	Verify, Resume, DryRun             bool

	Ask    func(dst string) bool
	Backup func(dst string) (string, error)

	BlockSize, Concurrency int
}

// Preserve is a set of kinds of metadata.
type Preserve uint16

// The kinds of metadata.
const (
	PreserveMode Preserve = 1 << iota
	PreserveOwner
	PreserveTimes
	PreserveLinks
	PreserveXattr
	PreserveContext

	PreserveAll          = PreserveMode | PreserveOwner | PreserveTimes | PreserveLinks | PreserveXattr | PreserveContext
	NoMode      Preserve = 1 << 15
)

// Follow says which symbolic links of the source are followed.
type Follow uint8

// The choices for Follow.
const (
	FollowNone Follow = iota
	FollowArguments
	FollowAll
)

// Make says what is made of a file that is no directory.
type Make uint8

// The choices for Make.
const (
	MakeCopy Make = iota
	MakeHardLink
	MakeSymlink
	MakeAttributes
)

// Existing says what is done where the destination has a file already.
type Existing uint8

// The choices for Existing.
const (
	Overwrite Existing = iota
	Skip
	SkipFail
	Older
)

// Sync says what is on disk when the copy ends.
type Sync uint8

// The choices for Sync.
const (
	SyncNone Sync = iota
	SyncFileSystem
	SyncFiles
)

// MakesLinks reports whether links to the source are made in place of copies.
func (o *Options) MakesLinks() bool { return o.Make == MakeHardLink || o.Make == MakeSymlink }

// CopiesContent reports whether the content of a file of that type is copied. A
// file of another type is made anew.
func (o *Options) CopiesContent(t at.Type) bool {
	return t == at.Regular || o.CopyContents && t != at.Symlink
}

// FollowsEntries reports whether symbolic links inside a tree are followed.
func (o *Options) FollowsEntries() at.Follow { return at.Follow(o.Follow == FollowAll) }

// CopiesSymlink reports whether a symbolic link would be copied as a link. A root
// is the source that the caller named.
func (o *Options) CopiesSymlink(root bool) bool {
	return o.Follow == FollowNone || o.Follow == FollowArguments && !root
}
