package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
)

// States of a Batch.
const (
	filling = iota
	running // Do or Each is performing it
	ended   // until Reset
)

// start checks the Batch and returns what performs it. It acquires the Scheduler, which
// run.end releases.
func (b *Batch) start(ctx context.Context) (*run, error) {
	if !b.state.CompareAndSwap(filling, running) {
		return nil, errors.New("sluice: Batch: it has been performed, or is just being, and was not Reset")
	}
	err := b.link()
	switch {
	case ctx == nil:
		err = handle.ErrNilContext
	case err == nil:
		err = b.acquire()
	}
	if err != nil {
		b.state.Store(filling)
		return nil, fmt.Errorf("sluice: Batch: %w", err)
	}
	b.run.init(ctx, b)
	return &b.run, nil
}

// acquire acquires the Batch's Scheduler.
func (b *Batch) acquire() error {
	if b.scheduler == nil {
		s, err := sluice.Default()
		if err != nil {
			return err
		}
		b.scheduler = s
	}
	b.inside = inside.Scheduler(b.scheduler)
	return b.inside.Acquire()
}

// link makes chains of the operations. The error says what is wrong with the Batch.
func (b *Batch) link() error {
	var head, before *Op
	b.chains = 0
	for i := range b.n {
		op := b.op(i)
		op.next, op.inner, op.owned = nil, false, op.kind == opReadFile
		if before != nil && before.then {
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

// check returns what is wrong with op, whose chain begins at first.
func (b *Batch) check(op *Op, first int32) error {
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
	case open.owned:
		return fmt.Errorf("its file, that of operation %d, is closed before it", open.index)
	case op.kind == opCloseFile:
		open.owned = true
	}
	return nil
}
