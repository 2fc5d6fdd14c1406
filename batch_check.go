package sluice

import (
	"context"
	"errors"
	"fmt"
)

// States of a Batch.
const (
	batchFilling = iota
	batchRunning // Do or Each is
	batchOver    // until it is Reset
)

// start checks the Batch and returns what performs it. The Scheduler is lent to it
// until work has returned.
func (b *Batch) start(ctx context.Context) (*batchRun, error) {
	if !b.state.CompareAndSwap(batchFilling, batchRunning) {
		return nil, errors.New("sluice: Batch: it has been performed, or is just being, and was not Reset")
	}
	err := b.link()
	switch {
	case ctx == nil:
		err = errors.New("the context is nil")
	case err == nil:
		err = b.s.h.Acquire()
	}
	if err != nil {
		b.state.Store(batchFilling)
		return nil, fmt.Errorf("sluice: Batch: %w", err)
	}
	b.run.init(ctx, b)
	return &b.run, nil
}

// link makes chains of the operations that are linked, and says what is wrong
// with a Batch.
func (b *Batch) link() error {
	var head, before *BatchOp
	b.chains = 0
	for i := range b.n {
		op := b.at(i)
		op.next, op.inner, op.closed = nil, false, false
		if before != nil && before.linked {
			before.next, op.inner = op, true
		} else {
			head = op
			b.chains++
		}
		if err := b.check(op, head.index); err != nil {
			return fmt.Errorf("operation %d (%v): %w", i, op.kind, err)
		}
		before = op
	}
	return nil
}

// check says what is wrong with op, whose chain begins at first.
func (b *Batch) check(op *BatchOp, first int32) error {
	switch open := op.open; {
	case op.err != nil:
		return op.err
	case open == nil && op.file == nil && op.kind > lastNamed:
		return errors.New("it has no file")
	case open == nil:
		return nil
	case open.batch != b || open.kind != opOpenFile:
		return errors.New("its file is of an operation that opens none in this Batch")
	case open.index < first || open.index >= op.index:
		return fmt.Errorf("its file is opened by operation %d, which is not before it in its chain", open.index)
	case open.closed:
		return fmt.Errorf("its file, that of operation %d, is closed before it", open.index)
	case op.kind == opCloseFile:
		open.closed = true
	}
	return nil
}
