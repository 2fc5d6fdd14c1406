package drivertest

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver"
)

// unset is in Res while the driver owns an operation. No driver returns it.
const unset = math.MinInt32

// tracker follows an operation. It is in Op.Owner.
type tracker struct {
	before driver.Op   // as it was submitted
	taken  atomic.Bool // true while the driver owns the operation
	tag    int         // for the test
}

// op returns an operation that the rig can follow.
func op(code driver.Code, fd int32, off int64, buf []byte) *driver.Op {
	return &driver.Op{Code: code, FD: fd, Off: off, Buf: buf, Owner: new(tracker)}
}

// nops returns n operations that touch nothing.
func nops(n int) []*driver.Op {
	ops := make([]*driver.Op, n)
	for i := range ops {
		ops[i] = op(driver.Nop, -1, 0, nil)
	}
	return ops
}

// arm prepares ops to be submitted.
func arm(ops []*driver.Op) {
	for _, op := range ops {
		t := op.Owner.(*tracker)
		op.Res = unset
		t.before = *op
		t.taken.Store(true)
	}
}

// disarm is called for operations that the driver did not take.
func disarm(ops []*driver.Op) {
	for _, op := range ops {
		op.Owner.(*tracker).taken.Store(false)
	}
}

// returned checks an operation that Reap has returned.
func returned(op *driver.Op) error {
	if op == nil {
		return fmt.Errorf("Reap returned nil for an operation")
	}
	t, ok := op.Owner.(*tracker)
	if !ok {
		return fmt.Errorf("Reap returned an operation that was not submitted, or changed its Owner: %+v", op)
	}
	if !t.taken.CompareAndSwap(true, false) {
		return fmt.Errorf("%v at %d was returned twice", op.Code, op.Off)
	}
	if op.Res == unset {
		return fmt.Errorf("%v at %d was returned without a result", op.Code, op.Off)
	}
	b := &t.before
	if op.Code != b.Code || op.Flags != b.Flags || op.FD != b.FD || op.Reg != b.Reg || op.Off != b.Off ||
		len(op.Buf) != len(b.Buf) || unsafe.SliceData(op.Buf) != unsafe.SliceData(b.Buf) {
		return fmt.Errorf("%v came back changed: %+v; was %+v", b.Code, op, b)
	}
	reuse(op)
	return nil
}

// reuse writes the caller's fields again, so that the race detector notices a driver that still
// uses them. It does not write Token, which a late Cancel may read.
func reuse(op *driver.Op) {
	t, res := op.Owner.(*tracker), op.Res
	op.Code, op.Flags, op.FD, op.Off, op.Reg = t.before.Code, t.before.Flags, t.before.FD, t.before.Off, t.before.Reg
	op.Buf, op.Owner, op.Res, op.Next = t.before.Buf, t, res, nil
}
