package batch

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice"
)

// Chain is a list of operations. They are performed in the order in which they were added; each
// begins after the one before it has succeeded. [Batch.Chain] makes a Chain. Copies of a Chain are
// the same chain.
//
// Each method but In adds an operation to the end of the chain. These methods panic while the Batch
// is performed.
type Chain struct {
	batch *Batch
	dir   *sluice.File // the directory of relative names; nil is the working directory
	link
}

// link names a chain of a Batch.
type link struct {
	id  int32  // its place in Batch.last
	age uint32 // Batch.age when it was made
}

// Chain returns a new chain without operations. The chains of a Batch have no order among each
// other. A single operation is a chain, too: b.Chain().Stat(name).
func (b *Batch) Chain() Chain {
	b.notRunning("a chain made")
	if b.last == nil {
		b.last = b.few[:0]
	}
	b.last = append(b.last, nil)
	return Chain{batch: b, link: link{id: int32(len(b.last) - 1), age: b.age}}
}

// In returns the same chain with another directory. Operations that are added through the result
// look up relative names in the open directory dir, as openat(2) does. On systems other than Linux
// they join the names to dir's name. A nil dir is an error of the Batch.
func (c Chain) In(dir *sluice.File) Chain {
	if dir == nil {
		c.made().refuse(errors.New("Chain.In of no directory"))
	}
	c.dir = dir
	return c
}

// Open adds an open of the named file for reading, as os.Open.
func (c Chain) Open(name string) Target { return c.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile adds the generalized open, as os.OpenFile. Later operations of the chain may use the
// file. If none of them closes it, [Op.File] returns it, and the caller closes it.
func (c Chain) OpenFile(name string, flag int, perm os.FileMode) Target {
	op := c.named(opOpenFile, name)
	op.off, op.perm = int64(flag), perm
	return Target{open: op, link: c.link}
}

// ReadFile adds a read of the whole named file, as os.ReadFile. [Op.Bytes] returns its content.
func (c Chain) ReadFile(name string) *Op {
	op := c.named(opReadFile, name)
	op.owned = true
	return op
}

// Stat adds a stat of the named file, as os.Stat.
func (c Chain) Stat(name string) *Op { return c.named(opStat, name) }

// Lstat adds a stat that does not follow a symbolic link, as os.Lstat.
func (c Chain) Lstat(name string) *Op { return c.named(opLstat, name) }

// Unlink adds the removal of the named file, which must not be a directory (unlink(2)).
func (c Chain) Unlink(name string) *Op { return c.named(opUnlink, name) }

// Rmdir adds the removal of the named directory, which must be empty (rmdir(2)).
func (c Chain) Rmdir(name string) *Op { return c.named(opRmdir, name) }

// Mkdir adds the making of a directory, as os.Mkdir.
func (c Chain) Mkdir(name string, perm os.FileMode) *Op {
	op := c.named(opMkdir, name)
	op.perm = perm
	return op
}

// Rename adds a rename, as os.Rename.
func (c Chain) Rename(oldname, newname string) *Op { return c.ofTwo(opRename, oldname, newname) }

// HardLink adds the making of a hard link, as os.Link.
func (c Chain) HardLink(oldname, newname string) *Op { return c.ofTwo(opLink, oldname, newname) }

// Symlink adds the making of a symbolic link, as os.Symlink.
func (c Chain) Symlink(oldname, newname string) *Op { return c.ofTwo(opSymlink, oldname, newname) }

func (c Chain) named(kind kind, name string) *Op {
	op := c.add(kind)
	op.name, op.dir = name, c.dir
	return op
}

func (c Chain) ofTwo(kind kind, oldname, newname string) *Op {
	op := c.named(kind, oldname)
	op.other = newname
	return op
}

// made returns the chain's Batch. It panics if c is the zero Chain.
func (c Chain) made() *Batch {
	if c.batch == nil {
		panic("sluice: Batch: use of the zero Chain; Batch.Chain makes chains")
	}
	return c.batch
}

// add returns a new operation at the end of the chain.
func (c Chain) add(kind kind) *Op {
	b := c.made()
	b.notRunning("an operation added")
	op := b.newOp(kind)
	if c.age != b.age {
		op.refuse(errors.New("its Chain was made before Reset"))
		return op
	}
	if last := b.last[c.id]; last != nil {
		last.next, op.inner = op, true
	} else {
		b.chains++
	}
	b.last[c.id] = op
	return op
}
