// Package item has the state of one entry while it is copied.
package item

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/made"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Item is an entry that is being copied, but not a directory. It belongs to one worker.
type Item struct {
	Dir      *dirs.Dir // in use (dirs.Handles.Use)
	Src, Dst at.Name   // names in Dir and in its copy
	Type     at.Type
	Follow   at.Follow // whether a symbolic link at Src is followed
	// Through is true if a symbolic link at Dst is followed. It is only followed at the caller's
	// path, as in GNU cp. Other symbolic links in the destination are replaced, so that nobody can
	// make a copy overwrite files elsewhere.
	Through at.Follow
	Root    bool // the path is the caller's

	Stat         at.Stat // of the source
	SrcFD, DstFD int     // -1: not open

	Fresh      bool    // the copy was made, not overwritten
	Existing   at.Type // the type of the overwritten file; Unknown without one
	BehindLink bool    // the copy is at the target of a symbolic link at Dst
	Elsewhere  bool    // written to a block device, or perhaps to another file system
	Kept       bool    // attributes were refused, and the copy stays
	SameType   bool    // a file was left at Dst, and has the source's type

	Begun   time.Time // only set for report.Report.OnDone
	What    report.What
	Bytes   int64
	Counted int64 // the part of Bytes that Progress has before the file is done
	Holes   int64
	Backup  string
	Removed bool
}

// Copy returns the copy for calls that set attributes.
func (it *Item) Copy() at.File {
	if it.DstFD >= 0 {
		return at.File{FD: it.DstFD}
	}
	return at.File{FD: it.Dir.DstFD, Name: it.Dst}
}

// Source returns the source for calls that read attributes.
func (it *Item) Source() at.File {
	if it.SrcFD >= 0 {
		return at.File{FD: it.SrcFD}
	}
	return at.File{FD: it.Dir.SrcFD, Name: it.Src}
}

// Place returns the place of the copy.
func (it *Item) Place() made.Place { return made.Place{Dir: it.Dir.CopyID, Name: it.Dst.String()} }

// SrcPath returns the path of the source.
func (it *Item) SrcPath() string { return it.Dir.SrcOf(it.Src) }

// DstPath returns the path of the copy.
func (it *Item) DstPath() string { return it.Dir.DstOf(it.Dst) }

// MknodCall returns the name of the call that makes a special file, for errors. Users know
// mkfifo(3) for FIFOs.
func (it *Item) MknodCall() string {
	if it.Type == at.FIFO {
		return "mkfifo"
	}
	return "mknod"
}
