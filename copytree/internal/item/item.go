// Package item has the state of one entry while it is copied.
package item

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/made"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Item is an entry that is being copied: anything but a directory. One worker has
// it.
type Item struct {
	Dir      *dirs.Dir // in use
	Src, Dst at.Name   // in Dir and in its copy
	Type     at.Type
	Follow   at.Follow // whether Src may be a symbolic link, which is followed
	// Through is whether a symbolic link at Dst is followed. It only is at the path
	// that the caller has named, as by GNU cp. Other symbolic links in the
	// destination are replaced, so that nobody can make a copy overwrite files
	// elsewhere.
	Through at.Follow
	Root    bool // the caller has named its path

	Stat         at.Stat // of the source
	SrcFD, DstFD int     // -1: not open

	Fresh      bool    // the copy was made, rather than overwritten
	Existing   at.Type // what is overwritten; Unknown if nothing is
	BehindLink bool    // the copy is where a symbolic link at Dst leads
	Elsewhere  bool    // written to a block device, or maybe to another file system than Dir's copy
	Kept       bool    // attributes were refused: an error after which the copy stays
	SameType   bool    // what exists at Dst and is left there has the source's type

	Begun   time.Time // only set for report.Report.OnDone
	What    report.What
	Bytes   int64
	Counted int64 // of Bytes, what is in Progress before the file is done
	Holes   int64
	Backup  string
	Removed bool
}

// Copy returns the copy as calls that set attributes take it.
func (it *Item) Copy() at.File {
	if it.DstFD >= 0 {
		return at.File{FD: it.DstFD}
	}
	return at.File{FD: it.Dir.DstFD, Name: it.Dst}
}

// Source returns the source as calls that read attributes take it.
func (it *Item) Source() at.File {
	if it.SrcFD >= 0 {
		return at.File{FD: it.SrcFD}
	}
	return at.File{FD: it.Dir.SrcFD, Name: it.Src}
}

// Place returns where the copy is.
func (it *Item) Place() made.Place { return made.Place{Dir: it.Dir.CopyID, Name: it.Dst.String()} }

// SrcPath returns the path of the source.
func (it *Item) SrcPath() string { return it.Dir.SrcOf(it.Src) }

// DstPath returns the path of the copy.
func (it *Item) DstPath() string { return it.Dir.DstOf(it.Dst) }

// MknodCall returns the name of the call that makes a special file, as errors have
// it: mkfifo(3) is the name that users know for FIFOs.
func (it *Item) MknodCall() string {
	if it.Type == at.FIFO {
		return "mkfifo"
	}
	return "mknod"
}
