package batch

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice"
)

// Op is one operation of a [Batch]. It has results once it has ended. It is valid until its Batch
// is Reset.
type Op struct {
	batch      *Batch
	kind       kind
	state      state
	inner      bool // it is not the first of its chain
	owned      bool // an open: the chain owns the file
	allowShort bool // a read: the end of the file is no error
	advice     sluice.Advice
	index      int32
	perm       os.FileMode

	next *Op // in its chain

	name, other string
	dir         *sluice.File // the directory of relative names; nil is the working directory
	file        *sluice.File // the file of the operation, unless open opens it
	open        *Op
	buf         []byte // also the bytes that ReadFile has read
	// off and size are a range. An open has its flag in off.
	off, size int64

	n    int
	err  error
	out  *sluice.File // an open: the result
	info os.FileInfo
	raw  rawFile // an open: the file, if only its chain uses it
}

// state is the progress of an operation.
type state uint8

const (
	waiting  state = iota // it has not ended
	done                  // it has succeeded
	failed                // it was begun, and failed with Err
	notBegun              // it was not begun, or ended early: Err is ErrNotBegun
)

// AllowShort makes a ReadAt that ends early at the end of the file a success: [Op.Err]
// is nil, [Op.N] is the number of bytes, and the chain goes on. It returns op. AllowShort of
// another kind of operation is an error of the Batch.
func (op *Op) AllowShort() *Op {
	op.batch.notRunning("AllowShort called")
	op.allowShort = true
	if op.kind != opReadAt {
		op.refuse(errors.New("AllowShort of an operation that is not ReadAt"))
	}
	return op
}

// Err returns the operation's error. It is nil only if the operation has succeeded: before the
// operation has ended, Err returns [ErrNotBegun].
func (op *Op) Err() error {
	if op.state == waiting {
		return ErrNotBegun
	}
	return op.err
}

// N returns how many bytes were read or written, also by ReadFile. It returns 0 for other
// operations.
func (op *Op) N() int { return op.n }

// Bytes returns the bytes that ReadFile has read, even if it has failed later. It returns nil for
// other operations.
func (op *Op) Bytes() []byte {
	if op.kind != opReadFile {
		return nil
	}
	return op.buf
}

// File returns the file that an open has opened. It returns nil if the open has failed, or if the
// chain closes the file.
func (op *Op) File() *sluice.File { return op.out }

// Info returns the result of a Stat or Lstat, or nil.
func (op *Op) Info() os.FileInfo { return op.info }

// Index returns how many operations were added to the Batch before this one.
func (op *Op) Index() int { return int(op.index) }

// finish notes how the operation ended.
func (op *Op) finish(err error) {
	op.err, op.state = err, done
	if err != nil {
		op.state = failed
	}
}

// skip notes that the operation was not begun.
func (op *Op) skip(why error) {
	op.err, op.state = op.wrap(why), notBegun
}

// wrap returns err as package os returns the errors of this kind of operation.
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
	return &os.PathError{Op: name, Path: op.file.Name(), Err: err} // even if err is io.EOF
}
