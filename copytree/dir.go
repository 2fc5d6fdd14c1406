package copytree

import (
	"strings"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/list"
)

// dir is a directory of the source, and its copy. Those above it stay as long
// as it does. A base is what a Pair's paths are relative to: it has one thing
// in it, and nothing above.
type dir struct {
	up     *dir
	name   at.Name   // in up
	copied at.Name   // the copy's name in up's copy: other than name for a root alone
	root   *Pair     // set in a base: what the paths of the one thing in it are
	follow at.Follow // whether name may be a symbolic link in the source
	enter  at.Follow // and whether copied may be one
	made   bool      // by this copy: what is in it is, too
	merged bool      // it was there
	absent bool      // there is no copy, and will be none (DryRun)
	leaf   bool      // it is not walked: another file system, with OneFileSystem
	acl    bool      // the copy gives new files an ACL that the source may not have

	srcDir, dstDir string // a base's own paths
	done           bool   // a base that only names of links are in any more. Under handles.mu

	stat at.Stat // of the source, before it was read
	// copyID and copyMode are of the copy, as it was when it was begun.
	copyID   at.ID
	copyMode uint32
	lent     uint32 // of copyMode, what the copy is not to keep: see unlock

	// begun is set by the first goroutine that has the directory; next is where
	// reading goes on, and seek says that the descriptor is elsewhere. They
	// are of who has taken the directory from the queue.
	begun, seek bool
	entered     bool // begun without an error
	next        int64

	// open counts what keeps the directory from being finished: that it is not
	// read to its end, batches of its entries, directories in it.
	open atomic.Int32

	handle
}

// handle is a dir's descriptors. Under handles.mu.
type handle struct {
	src, dst int            // -1: not open
	pins     int            // who uses them
	links    list.Node[dir] // in handles.idle, if it is open and nobody does
}

// child returns the directory by that name in d.
func (d *dir) child(name at.Name, f at.Follow) *dir {
	own := append(make(at.Name, 0, len(name)), name...)
	c := &dir{up: d, name: own, copied: own, follow: f, handle: handle{src: -1, dst: -1}}
	c.open.Store(1)
	return c
}

// srcPath is where the source is.
func (d *dir) srcPath() string { return d.path(func(d *dir) string { return d.root.Src }) }

// dstPath is where the copy is.
func (d *dir) dstPath() string { return d.path(func(d *dir) string { return d.root.Dst }) }

// path joins the names down to d. The one below the base is root's.
func (d *dir) path(root func(*dir) string) string {
	var names []at.Name
	for d.up.root == nil {
		names = append(names, d.name)
		d = d.up
	}
	var b strings.Builder
	b.WriteString(root(d.up))
	for i := len(names) - 1; i >= 0; i-- {
		separate(&b)
		b.Write(names[i][:len(names[i])-1])
	}
	return b.String()
}

func separate(b *strings.Builder) {
	if s := b.String(); s == "" || s[len(s)-1] != '/' {
		b.WriteByte('/')
	}
}

// srcOf is the path of what is called name in d.
func (d *dir) srcOf(name at.Name) string {
	if d.root != nil {
		return d.root.Src
	}
	return join(d.srcPath(), name)
}

// dstOf is the path of its copy.
func (d *dir) dstOf(name at.Name) string {
	if d.root != nil {
		return d.root.Dst
	}
	return join(d.dstPath(), name)
}

func join(path string, name at.Name) string {
	var b strings.Builder
	b.Grow(len(path) + len(name))
	b.WriteString(path)
	separate(&b)
	b.Write(name[:len(name)-1])
	return b.String()
}

// String returns the copy's path, for package durable.
func (d *dir) String() string { return d.dstPath() }
