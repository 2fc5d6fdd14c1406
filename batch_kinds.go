package sluice

import (
	"os"

	"github.com/sluiceio/sluice/internal/record"
)

// batchKind says what an operation does.
type batchKind uint8

// The kinds: those with two names, with one, and those of open files.
const (
	opRename batchKind = iota
	opLink
	opSymlink
	opOpenFile
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
	numBatchKinds

	lastOfTwo = opSymlink
	lastNamed = opMkdir
)

// osNames are what package os calls the kinds in its errors.
var osNames = [numBatchKinds]string{
	"rename", "link", "symlink", "open", "stat", "lstat", "remove", "remove", "mkdir",
	"read", "read", "write", "write", "sync", "sync", "allocate", "truncate", "advise", "close",
}

// recordKinds are what the kinds are in records and traces, of those that the
// scheduler does not record itself.
var recordKinds = [numBatchKinds]uint8{
	opRename: record.KindRename, opLink: record.KindLink, opSymlink: record.KindSymlink,
	opOpenFile: record.KindOpen, opStat: record.KindStat, opLstat: record.KindLstat,
	opUnlink: record.KindUnlink, opRmdir: record.KindRmdir, opMkdir: record.KindMkdir,
	opAllocate: record.KindAllocate, opTruncate: record.KindTruncate, opAdvise: record.KindAdvise,
	opCloseFile: record.KindClose,
}

// String names the kind.
func (k batchKind) String() string { return osNames[k] }

// Open adds an open of the named file for reading, as os.Open.
func (b *Batch) Open(name string) *BatchOp { return b.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile adds the generalized open, as os.OpenFile.
func (b *Batch) OpenFile(name string, flag int, perm os.FileMode) *BatchOp {
	op := b.named(opOpenFile, name)
	op.off, op.perm = int64(flag), perm
	return op
}

// Stat adds a stat of the named file, as os.Stat.
func (b *Batch) Stat(name string) *BatchOp { return b.named(opStat, name) }

// Lstat is Stat that does not follow a symbolic link, as os.Lstat.
func (b *Batch) Lstat(name string) *BatchOp { return b.named(opLstat, name) }

// Unlink adds the removal of the named file, which is not a directory
// (unlink(2)).
func (b *Batch) Unlink(name string) *BatchOp { return b.named(opUnlink, name) }

// Rmdir adds the removal of the named directory, which is empty (rmdir(2)).
func (b *Batch) Rmdir(name string) *BatchOp { return b.named(opRmdir, name) }

// Mkdir adds the making of a directory, as os.Mkdir.
func (b *Batch) Mkdir(name string, perm os.FileMode) *BatchOp {
	op := b.named(opMkdir, name)
	op.perm = perm
	return op
}

// Rename adds a rename, as os.Rename.
func (b *Batch) Rename(oldname, newname string) *BatchOp { return b.ofTwo(opRename, oldname, newname) }

// LinkFile adds the making of a hard link, as os.Link.
func (b *Batch) LinkFile(oldname, newname string) *BatchOp { return b.ofTwo(opLink, oldname, newname) }

// Symlink adds the making of a symbolic link, as os.Symlink.
func (b *Batch) Symlink(oldname, newname string) *BatchOp {
	return b.ofTwo(opSymlink, oldname, newname)
}

// ReadAt adds a read of len(p) bytes at off, as [File.ReadAt]: short only with
// an error, io.EOF at the end of the file.
//
// A file that is opened by an operation which is not earlier in the same chain,
// or that is closed before, is an error of the Batch, which Do refuses.
func (b *Batch) ReadAt(t Target, p []byte, off int64) *BatchOp {
	op := b.of(opReadAt, t)
	op.buf, op.off = p, off
	return op
}

// ReadVec is ReadAt into several buffers, one after the other: one system call
// (preadv(2)) for up to 64 of them, or one request each where a read has to wait
// for the disk in the driver's queue.
func (b *Batch) ReadVec(t Target, ps [][]byte, off int64) *BatchOp {
	op := b.of(opReadVec, t)
	op.bufs, op.off = ps, off
	return op
}

// WriteAt adds a write of p at off, as [File.WriteAt].
func (b *Batch) WriteAt(t Target, p []byte, off int64) *BatchOp {
	op := b.of(opWriteAt, t)
	op.buf, op.off = p, off
	return op
}

// WriteVec is WriteAt of several buffers, one after the other: one system call
// (pwritev(2)) for up to 64 of them, or one request each where the driver writes
// without a thread, as with O_DIRECT. The target was not opened with O_APPEND.
func (b *Batch) WriteVec(t Target, ps [][]byte, off int64) *BatchOp {
	op := b.of(opWriteVec, t)
	op.bufs, op.off = ps, off
	return op
}

// Sync adds an fsync, as [File.Sync].
func (b *Batch) Sync(t Target) *BatchOp { return b.of(opSync, t) }

// Datasync adds an fdatasync, as [File.Datasync].
func (b *Batch) Datasync(t Target) *BatchOp { return b.of(opDatasync, t) }

// Allocate adds an allocation of space for the n bytes at off, which does not
// change the file's size (fallocate(2)). Where the system or the file system has
// none, the error is errors.ErrUnsupported or EOPNOTSUPP.
func (b *Batch) Allocate(t Target, off, n int64) *BatchOp { return b.rangeOf(opAllocate, t, off, n) }

// Truncate adds a change of the file's size, as [File.Truncate].
func (b *Batch) Truncate(t Target, size int64) *BatchOp { return b.rangeOf(opTruncate, t, 0, size) }

// Advise tells the system what will be done with the n bytes at off; n 0 means
// up to the end of the file (posix_fadvise(2)).
func (b *Batch) Advise(t Target, off, n int64, a Advice) *BatchOp {
	op := b.rangeOf(opAdvise, t, off, n)
	op.advice = a
	return op
}

// Close adds a Close of the file. Of one that an operation of the same chain
// opens it makes the chain's own, see [Batch].
func (b *Batch) Close(t Target) *BatchOp { return b.of(opCloseFile, t) }

func (b *Batch) named(kind batchKind, name string) *BatchOp {
	op := b.add(kind)
	op.name = name
	return op
}

func (b *Batch) ofTwo(kind batchKind, oldname, newname string) *BatchOp {
	op := b.named(kind, oldname)
	op.other = newname
	return op
}

func (b *Batch) of(kind batchKind, t Target) *BatchOp {
	op := b.add(kind)
	if t != nil {
		t.target(op)
	}
	return op
}

func (b *Batch) rangeOf(kind batchKind, t Target, off, n int64) *BatchOp {
	op := b.of(kind, t)
	op.off, op.size = off, n
	return op
}
