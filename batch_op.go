package sluice

import (
	"errors"
	"fmt"
	"os"
)

// BatchOp is one operation of a [Batch]. What it came to is there when it has
// ended.
type BatchOp struct {
	batch  *Batch
	kind   batchKind
	state  BatchState
	linked bool // what is added next begins when this one has succeeded
	inner  bool // it is not the first of its chain
	closed bool // of an open: the chain closes the file
	lane   bool // it begins a chain that the kernel may perform as a whole
	advice Advice
	index  int32
	perm   os.FileMode

	next *BatchOp // in its chain

	name, other string
	dir         *File // what names are relative to; nil is the working directory
	file        *File // what is read, written …: this, or what open opens
	open        *BatchOp
	buf         []byte
	bufs        [][]byte
	// off and size are of a range. Flag, of an open, is in off.
	off, size int64

	n    int
	err  error
	out  *File // of an open
	info os.FileInfo
	own  ownFile // of an open: the file that the chain keeps to itself
}

// BatchState says what has become of an operation.
type BatchState uint8

// The states.
const (
	Waiting  BatchState = iota // it has not ended
	Done                       // it has succeeded
	Failed                     // it was begun, and failed with Err
	NotBegun                   // it has had no effect: Err is ErrLinkBroken or ErrNotBegun
)

var batchStates = [...]string{"waiting", "done", "failed", "not begun"}

// String names the state.
func (s BatchState) String() string {
	if int(s) < len(batchStates) {
		return batchStates[s]
	}
	return fmt.Sprintf("BatchState(%d)", uint8(s))
}

// Target is an open file as operations of a [Batch] take it: a *[File], or the
// [BatchOp] that opens it earlier in the same chain.
type Target interface{ target(user *BatchOp) }

func (f *File) target(user *BatchOp) { user.file = f }

func (op *BatchOp) target(user *BatchOp) {
	user.open = op
	if op == nil {
		user.err = errors.New("its file is of no operation")
	}
}

// Link links the next operation that is added to this one: it begins when this
// one has succeeded wholly, and otherwise not at all. It returns op.
func (op *BatchOp) Link() *BatchOp {
	op.linked = true
	return op
}

// At has the names that are not absolute be relative to the open directory dir
// instead of the working directory, as openat(2) and its like have them. On
// systems other than Linux that is the directory of dir's name. It returns op.
func (op *BatchOp) At(dir *File) *BatchOp {
	switch {
	case op.kind > lastNamed:
		op.err = errors.New("At of an operation that has no name")
	case dir == nil:
		op.err = errors.New("At of no directory")
	}
	op.dir = dir
	return op
}

// State says what has become of the operation.
func (op *BatchOp) State() BatchState { return op.state }

// Err is the operation's error; nil if it has succeeded.
func (op *BatchOp) Err() error { return op.err }

// N is how many bytes were read or written.
func (op *BatchOp) N() int { return op.n }

// File is the file that was opened; nil if none was, or if its chain closes it.
func (op *BatchOp) File() *File { return op.out }

// Info is what Stat and Lstat have found.
func (op *BatchOp) Info() os.FileInfo { return op.info }

// Name is the name, the old one of two, that the operation was given.
func (op *BatchOp) Name() string { return op.name }

// Index is the operation's place in the order in which they were added, from 0.
func (op *BatchOp) Index() int { return int(op.index) }

// finish notes how the operation ended.
func (op *BatchOp) finish(err error) {
	op.err, op.state = err, Done
	if err != nil {
		op.state = Failed
	}
}

// skip notes that the operation was not begun.
func (op *BatchOp) skip(why error) {
	op.err, op.state = op.wrap(why), NotBegun
}

// wrap is err as package os gives errors of such an operation.
func (op *BatchOp) wrap(err error) error {
	name := osNames[op.kind]
	switch {
	case op.kind <= lastOfTwo:
		return &os.LinkError{Op: name, Old: op.name, New: op.other, Err: err}
	case op.kind <= lastNamed:
		return &os.PathError{Op: name, Path: op.name, Err: err}
	case op.open != nil:
		return &os.PathError{Op: name, Path: op.open.name, Err: err}
	case op.file == nil:
		return err
	}
	return op.file.wrapped(name, err)
}

// wrapped is f.error, but of io.EOF too.
func (f *File) wrapped(op string, err error) error {
	return &os.PathError{Op: op, Path: f.h.OS.Name(), Err: err}
}
