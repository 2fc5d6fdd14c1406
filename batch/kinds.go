package batch

import (
	"os"

	"github.com/sluiceio/sluice"

	"github.com/sluiceio/sluice/internal/record"
)

// kind is what an operation does.
type kind uint8

// The kinds: those with two names, with one, and those of open files, with which those of ranges
// (allocate, truncate, advise) are. A new kind goes into its group. It must be in osNames, which
// is in the same order, and in each switch over kinds: byName, at (dir_linux.go), onRaw and
// callOnRange panic for one that they do not name.
const (
	opRename kind = iota
	opLink
	opSymlink
	opOpenFile
	opReadFile
	opStat
	opLstat
	opUnlink
	opRmdir
	opMkdir
	opReadAt
	opReadVec
	opWriteAt
	opWriteVec
	opSync
	opDatasync
	opAllocate
	opTruncate
	opAdvise
	opCloseFile
	numKinds

	lastOfTwo = opSymlink
	lastNamed = opMkdir
)

// osNames are the names that package os has for the kinds in its errors, in the kinds' order.
var osNames = [numKinds]string{
	"rename", "link", "symlink", "open", "open", "stat", "lstat", "remove", "remove", "mkdir",
	"read", "read", "write", "write", "sync", "sync", "allocate", "truncate", "advise", "close",
}

// recordKinds are the kinds in records and traces. Those that the scheduler records itself are
// not among them.
var recordKinds = [numKinds]uint8{
	opRename: record.KindRename, opLink: record.KindLink, opSymlink: record.KindSymlink,
	opOpenFile: record.KindOpen, opReadFile: record.KindOpen, opStat: record.KindStat, opLstat: record.KindLstat,
	opUnlink: record.KindUnlink, opRmdir: record.KindRmdir, opMkdir: record.KindMkdir,
	opAllocate: record.KindAllocate, opTruncate: record.KindTruncate, opAdvise: record.KindAdvise,
	opCloseFile: record.KindClose,
}

// String returns the name of the kind.
func (k kind) String() string { return osNames[k] }

// Open adds an open of the named file for reading, as os.Open.
func (b *Batch) Open(name string) *Op { return b.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile adds the generalized open, as os.OpenFile.
func (b *Batch) OpenFile(name string, flag int, perm os.FileMode) *Op {
	op := b.named(opOpenFile, name)
	op.off, op.perm = int64(flag), perm
	return op
}

// ReadFile adds a read of all that the named file has, as os.ReadFile. [Op.Bytes] returns it.
func (b *Batch) ReadFile(name string) *Op { return b.named(opReadFile, name) }

// Stat adds a stat of the named file, as os.Stat.
func (b *Batch) Stat(name string) *Op { return b.named(opStat, name) }

// Lstat is Stat that does not follow a symbolic link, as os.Lstat.
func (b *Batch) Lstat(name string) *Op { return b.named(opLstat, name) }

// Unlink adds the removal of the named file, which is not a directory
// (unlink(2)).
func (b *Batch) Unlink(name string) *Op { return b.named(opUnlink, name) }

// Rmdir adds the removal of the named directory, which is empty (rmdir(2)).
func (b *Batch) Rmdir(name string) *Op { return b.named(opRmdir, name) }

// Mkdir adds the making of a directory, as os.Mkdir.
func (b *Batch) Mkdir(name string, perm os.FileMode) *Op {
	op := b.named(opMkdir, name)
	op.perm = perm
	return op
}

// Rename adds a rename, as os.Rename.
func (b *Batch) Rename(oldname, newname string) *Op { return b.ofTwo(opRename, oldname, newname) }

// HardLink adds the making of a hard link, as os.Link.
func (b *Batch) HardLink(oldname, newname string) *Op { return b.ofTwo(opLink, oldname, newname) }

// Symlink adds the making of a symbolic link, as os.Symlink.
func (b *Batch) Symlink(oldname, newname string) *Op {
	return b.ofTwo(opSymlink, oldname, newname)
}

// ReadAt adds a read of len(p) bytes at off, as [sluice.File.ReadAt]. A short read is an error,
// io.EOF at the end of the file, and breaks the chain; see [Op.AllowShort].
//
// A target that is opened by an operation which is not earlier in the same chain, or that is
// closed before, is an error of the Batch, which Do refuses.
func (b *Batch) ReadAt(t Target, p []byte, off int64) *Op {
	op := b.of(opReadAt, t)
	op.buf, op.off = p, off
	return op
}

// ReadVec adds a ReadAt into several buffers, one after the other: one system call (preadv(2))
// for many of them, or one request each where the read waits for the disk in the driver's
// queue.
func (b *Batch) ReadVec(t Target, ps [][]byte, off int64) *Op {
	op := b.of(opReadVec, t)
	op.bufs, op.off = ps, off
	return op
}

// WriteAt adds a write of p at off, as [sluice.File.WriteAt].
func (b *Batch) WriteAt(t Target, p []byte, off int64) *Op {
	op := b.of(opWriteAt, t)
	op.buf, op.off = p, off
	return op
}

// WriteVec adds a WriteAt of several buffers, one after the other: one system call (pwritev(2))
// for many of them, or one request each where the driver writes without a thread, as with
// O_DIRECT. The target must not be opened with O_APPEND.
func (b *Batch) WriteVec(t Target, ps [][]byte, off int64) *Op {
	op := b.of(opWriteVec, t)
	op.bufs, op.off = ps, off
	return op
}

// Sync adds an fsync, as [sluice.File.Sync].
func (b *Batch) Sync(t Target) *Op { return b.of(opSync, t) }

// Datasync adds an fdatasync, as [sluice.File.Datasync].
func (b *Batch) Datasync(t Target) *Op { return b.of(opDatasync, t) }

// Allocate adds an allocation of space for the n bytes at off, as [sluice.File.Allocate].
func (b *Batch) Allocate(t Target, off, n int64) *Op { return b.rangeOf(opAllocate, t, off, n) }

// Truncate adds a change of the file's size, as [sluice.File.Truncate].
func (b *Batch) Truncate(t Target, size int64) *Op { return b.rangeOf(opTruncate, t, 0, size) }

// Advise adds advice to the system, as [sluice.File.Advise]: how the n bytes at off
// will be used; n 0 means up to the end of the file.
func (b *Batch) Advise(t Target, off, n int64, a sluice.Advice) *Op {
	op := b.rangeOf(opAdvise, t, off, n)
	op.advice = a
	return op
}

// Close adds a Close of the file. If an operation of the same chain opens the file, the chain
// owns it; see the package's comment.
func (b *Batch) Close(t Target) *Op { return b.of(opCloseFile, t) }

func (b *Batch) named(kind kind, name string) *Op {
	op := b.add(kind)
	op.name = name
	return op
}

func (b *Batch) ofTwo(kind kind, oldname, newname string) *Op {
	op := b.named(kind, oldname)
	op.other = newname
	return op
}

func (b *Batch) of(kind kind, t Target) *Op {
	op := b.add(kind)
	op.on(t)
	return op
}

func (b *Batch) rangeOf(kind kind, t Target, off, n int64) *Op {
	op := b.of(kind, t)
	op.off, op.size = off, n
	return op
}
