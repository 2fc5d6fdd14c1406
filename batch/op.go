package batch

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice"
)

// Op is one operation of a [Batch]. Its results are there when it has ended.
type Op struct {
	batch      *Batch
	kind       kind
	state      State
	then       bool // the operation that is added next begins when this one has succeeded
	inner      bool // it is not the first of its chain
	owned      bool // of an open: the chain owns the file
	inKernel   bool // it begins a chain that the kernel may perform as a whole
	allowShort bool // of a read: the end of the file is no error
	advice     sluice.Advice
	index      int32
	perm       os.FileMode

	next *Op // in its chain

	name, other string
	dir         *sluice.File // what names are relative to; nil is the working directory
	file        *sluice.File // what is read, written …: this, or what open opens
	open        *Op
	buf         []byte // what ReadFile has read, too
	bufs        [][]byte
	// off and size are those of a range. The flag of an open is in off.
	off, size int64

	n    int
	err  error
	out  *sluice.File // of an open
	info os.FileInfo
	raw  rawFile // of an open: the file, if its chain alone uses it
}

// State says what has become of an operation.
type State uint8

// The states.
const (
	Waiting  State = iota // it has not ended
	Done                  // it has succeeded
	Failed                // it was begun, and failed with Err
	NotBegun              // it was not begun, or ended early: Err is ErrChainBroken or ErrNotBegun
)

var states = [...]string{"waiting", "done", "failed", "not begun"}

// String returns the name of the state.
func (s State) String() string {
	if int(s) < len(states) {
		return states[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Target is an open file as operations of a [Batch] take it: a [*sluice.File], or the [*Op] that
// opens it earlier in the same chain. Do refuses all others, a *direct.File among them.
type Target interface{ Name() string }

// on makes t the operation's file.
func (op *Op) on(t Target) {
	switch t := t.(type) {
	case *sluice.File:
		op.file = t
	case *Op:
		if op.open = t; t == nil {
			op.err = errors.New("its file is of no operation")
		}
	case nil:
	default:
		op.err = fmt.Errorf("its file is a %T, neither a *sluice.File nor a *batch.Op", t)
	}
}

// Then chains the operation that is added next to this one: it begins when this one has
// succeeded wholly, and otherwise not at all. If none is added, Then has no effect. It returns
// op.
func (op *Op) Then() *Op {
	op.then = true
	return op
}

// AllowShort makes a read that ends at the end of the file, with fewer bytes than asked for, a
// success: [Op.Err] is nil and [Op.N] is the number of bytes, and the chain goes on. It returns
// op.
func (op *Op) AllowShort() *Op {
	op.allowShort = true
	if op.kind != opReadAt && op.kind != opReadVec {
		op.err = errors.New("AllowShort of an operation that is neither ReadAt nor ReadVec")
	}
	return op
}

// In makes the names that are not absolute relative to the open directory dir instead of the
// working directory, as openat(2) and its like do. On systems other than Linux that is the
// directory of dir's name. It returns op.
func (op *Op) In(dir *sluice.File) *Op {
	switch {
	case op.kind > lastNamed:
		op.err = errors.New("In of an operation that has no name")
	case dir == nil:
		op.err = errors.New("In of no directory")
	}
	op.dir = dir
	return op
}

// State returns what has become of the operation.
func (op *Op) State() State { return op.state }

// Err returns the operation's error, or nil if it has succeeded.
func (op *Op) Err() error { return op.err }

// N returns how many bytes were read or written, by ReadFile too. It is 0 for other operations.
func (op *Op) N() int { return op.n }

// Bytes returns what ReadFile has read, before an error too. It is nil for other operations.
func (op *Op) Bytes() []byte {
	if op.kind != opReadFile {
		return nil
	}
	return op.buf
}

// File returns the file that was opened, or nil if none was, or if its chain closes it.
func (op *Op) File() *sluice.File { return op.out }

// Info returns what Stat and Lstat have found, or nil.
func (op *Op) Info() os.FileInfo { return op.info }

// Name returns the name, the old one of two, that the operation was given. It is "" for an
// operation on an open file.
func (op *Op) Name() string { return op.name }

// Index returns the operation's place in the order in which they were added, from 0.
func (op *Op) Index() int { return int(op.index) }

// finish notes how the operation ended.
func (op *Op) finish(err error) {
	op.err, op.state = err, Done
	if err != nil {
		op.state = Failed
	}
}

// skip notes that the operation was not begun.
func (op *Op) skip(why error) {
	op.err, op.state = op.wrap(why), NotBegun
}

// wrap returns err as package os returns errors of such an operation.
func (op *Op) wrap(err error) error { return op.wrapAs(osNames[op.kind], err) }

func (op *Op) wrapAs(name string, err error) error {
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
	return &os.PathError{Op: name, Path: op.file.Name(), Err: err} // of io.EOF, too
}
