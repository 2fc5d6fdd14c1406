package batch

import (
	"errors"
	"fmt"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
)

// Target is the file of an operation: an open file, which [On] names, or a file that [Chain.Open]
// or [Chain.OpenFile] of the same chain opens. [Batch.Do] refuses a Batch with any other Target:
// the zero Target, one of another chain, or one that the chain has closed.
type Target struct {
	file *sluice.File
	open *Op // the operation that opens the file, if file is nil
	link     // the chain of open
}

// On returns the Target of the open file f. It panics if f is nil, or the zero File.
func On(f *sluice.File) Target {
	if f == nil || inside.File(f).OS == nil {
		panic("sluice: batch.On of no file")
	}
	return Target{file: f}
}

// Op returns the operation that opens the file, or nil for a Target of [On].
func (t Target) Op() *Op { return t.open }

// ReadAt adds a read of len(p) bytes at off, as [sluice.File.ReadAt]. A read that stops at the end
// of the file fails with io.EOF, unless [Op.AllowShort] was called.
func (c Chain) ReadAt(t Target, p []byte, off int64) *Op {
	op := c.of(opReadAt, t)
	op.buf, op.off = p, off
	return op
}

// WriteAt adds a write of p at off, as [sluice.File.WriteAt].
func (c Chain) WriteAt(t Target, p []byte, off int64) *Op {
	op := c.of(opWriteAt, t)
	op.buf, op.off = p, off
	return op
}

// Sync adds an fsync, as [sluice.File.Sync].
func (c Chain) Sync(t Target) *Op { return c.of(opSync, t) }

// Datasync adds an fdatasync, as [sluice.File.Datasync].
func (c Chain) Datasync(t Target) *Op { return c.of(opDatasync, t) }

// Allocate adds an allocation of space for the n bytes at off, as [sluice.File.Allocate].
func (c Chain) Allocate(t Target, off, n int64) *Op { return c.rangeOf(opAllocate, t, off, n) }

// Truncate adds a change of the file's size, as [sluice.File.Truncate].
func (c Chain) Truncate(t Target, size int64) *Op { return c.rangeOf(opTruncate, t, 0, size) }

// Advise adds advice to the system about the n bytes at off, as [sluice.File.Advise].
func (c Chain) Advise(t Target, off, n int64, a sluice.Advice) *Op {
	op := c.rangeOf(opAdvise, t, off, n)
	op.advice = a
	return op
}

// Close adds a Close of the file. If the chain opens the file, the chain owns it: the file is
// closed when the chain ends, even if an operation fails before the Close.
func (c Chain) Close(t Target) *Op {
	op := c.of(opCloseFile, t)
	if op.open != nil {
		op.open.owned = true
	}
	return op
}

func (c Chain) rangeOf(kind kind, t Target, off, n int64) *Op {
	op := c.of(kind, t)
	op.off, op.size = off, n
	return op
}

// of returns a new operation on t.
func (c Chain) of(kind kind, t Target) *Op {
	op := c.add(kind)
	switch {
	case t.file != nil:
		op.file, c.batch.onFiles = t.file, true
	case t.open == nil:
		op.refuse(errors.New("it has no file"))
	case t.open.batch != c.batch || t.age != c.age:
		op.refuse(errors.New("its file is opened by another Batch, or by this one before Reset"))
	case t.id != c.id:
		op.refuse(fmt.Errorf("its file is opened by operation %d, which is not in its chain", t.open.index))
	case t.open.owned:
		op.refuse(fmt.Errorf("its file, which operation %d opens, is closed before it", t.open.index))
	default:
		op.open = t.open
	}
	return op
}
