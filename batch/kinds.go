package batch

import "github.com/sluiceio/sluice/internal/record"

// kind says what an operation does.
type kind uint8

// The kinds are grouped: operations with two names, with one name, and on open files. Operations on
// a range of a file (allocate, truncate, advise) are in the last group. Add a new kind to its
// group, to osNames in the same order, and to each switch over kinds: byName, at (dir_linux.go),
// onRaw and callOnRange panic for an unknown kind.
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
	opWriteAt
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

// osNames are package os's names for the kinds in errors, in the kinds' order.
var osNames = [numKinds]string{
	"rename", "link", "symlink", "open", "open", "stat", "lstat", "remove", "remove", "mkdir",
	"read", "write", "sync", "sync", "allocate", "truncate", "advise", "close",
}

// recordKinds are the kinds in records and traces. Reads, writes and syncs are missing: the
// scheduler records them.
var recordKinds = [numKinds]uint8{
	opRename: record.KindRename, opLink: record.KindLink, opSymlink: record.KindSymlink,
	opOpenFile: record.KindOpen, opReadFile: record.KindOpen,
	opStat: record.KindStat, opLstat: record.KindLstat,
	opUnlink: record.KindUnlink, opRmdir: record.KindRmdir, opMkdir: record.KindMkdir,
	opAllocate: record.KindAllocate, opTruncate: record.KindTruncate, opAdvise: record.KindAdvise,
	opCloseFile: record.KindClose,
}

// String returns the name of the kind.
func (k kind) String() string { return osNames[k] }
