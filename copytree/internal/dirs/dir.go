// Package dirs has the directories of a copy in progress. A Dir is a directory of the source with
// its copy. Handles has the descriptors of both.
//
//	if err := handles.Use(d); err != nil {
//		return err
//	}
//	defer handles.Release(d)
//	fd, err := kernel.Open(d.SrcFD, name, at.NoFollow, at.Regular)
//
// # Concurrency
//
// Several goroutines may use Handles. The fields of a Dir say who writes them.
package dirs

import (
	"strings"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/list"
)

// Dir is a directory of the source, and its copy. It keeps the directories above it alive.
//
// A base is a Dir to which the paths of a Pair are relative. It has no Up, and one entry: the
// Pair's file or directory, called its root.
type Dir struct {
	Up       *Dir
	Name     at.Name      // its name in Up
	CopyName at.Name      // its copy's name in Up's copy: differs from Name only for a root
	Pair     *option.Pair // set only in a base
	Follow   at.Follow    // whether Name may be a symbolic link
	Through  at.Follow    // whether CopyName may be a symbolic link

	srcPath, dstPath string // of a base: the paths that are opened
	retired          bool   // of a base: its Pair is done; guarded by Handles.mu

	// The goroutine that begins the directory writes the following fields. Other goroutines read
	// them after it has queued entries of the directory.

	Stat      at.Stat // of the source, before it was read
	CopyID    at.ID   // of the copy
	CopyMode  uint32  // of the copy, when it was begun
	AddedMode uint32  // permissions in CopyMode that the owner needs only for filling it
	Made      bool    // the copy was made, so that all files in it are new
	Merged    bool    // the copy existed before
	Absent    bool    // the copy does not exist and is not made (DryRun)
	Leaf      bool    // its entries are not copied
	ACL       bool    // the copy may give new files an ACL that their sources lack
	Entered   bool    // it was begun without an error

	// The goroutine that has taken the directory from the queue owns the following fields.

	Begun bool
	Next  int64 // the position of the next read
	Seek  bool  // the descriptor's position is not Next

	// Unfinished counts the work until the directory is finished: reading it, batches of its
	// entries, and its subdirectories.
	Unfinished atomic.Int32

	handle
}

// handle is a Dir's descriptors. Handles.mu guards it. After Use the caller may read the
// descriptors until Release.
type handle struct {
	SrcFD, DstFD int            // -1: not open
	users        int            // calls of Use without their Release
	idle         list.Node[Dir] // in Handles.idle while it is open and unused
}

// closed returns a handle without descriptors.
func closed() handle { return handle{SrcFD: -1, DstFD: -1} }

// Child returns the directory with that name in d. It copies name.
func (d *Dir) Child(name at.Name, f at.Follow) *Dir {
	own := append(make(at.Name, 0, len(name)), name...)
	c := &Dir{Up: d, Name: own, CopyName: own, Follow: f, handle: closed()}
	c.Unfinished.Store(1)
	return c
}

// Src returns the path of d.
func (d *Dir) Src() string { return d.path(func(p *option.Pair) string { return p.Src }) }

// Dst returns the path of d's copy.
func (d *Dir) Dst() string { return d.path(func(p *option.Pair) string { return p.Dst }) }

// String returns Dst, for package durable.
func (d *Dir) String() string { return d.Dst() }

// path joins the root's path and the names from there down to d.
func (d *Dir) path(root func(*option.Pair) string) string {
	var names []at.Name
	for d.Up.Pair == nil {
		names = append(names, d.Name)
		d = d.Up
	}
	var b strings.Builder
	b.WriteString(root(d.Up.Pair))
	for i := len(names) - 1; i >= 0; i-- {
		separate(&b)
		b.Write(names[i][:len(names[i])-1])
	}
	return b.String()
}

// separate ends the path in b with a slash.
func separate(b *strings.Builder) {
	if s := b.String(); s == "" || s[len(s)-1] != '/' {
		b.WriteByte('/')
	}
}

// SrcOf returns the path of d's entry with that name. In a base it is the Pair's path, whatever the
// name.
func (d *Dir) SrcOf(name at.Name) string {
	if d.Pair != nil {
		return d.Pair.Src
	}
	return join(d.Src(), name)
}

// DstOf returns the path of the entry with that name in d's copy.
func (d *Dir) DstOf(name at.Name) string {
	if d.Pair != nil {
		return d.Pair.Dst
	}
	return join(d.Dst(), name)
}

func join(path string, name at.Name) string {
	var b strings.Builder
	b.Grow(len(path) + len(name))
	b.WriteString(path)
	separate(&b)
	b.Write(name[:len(name)-1])
	return b.String()
}
