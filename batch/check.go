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

// start returns the run that performs the Batch, or the error for which Do refuses it. It acquires
// the Scheduler, which run.end releases.
func (b *Batch) start(ctx context.Context) (*run, error) {
	if !b.state.CompareAndSwap(filling, running) {
		return nil, errors.New("sluice: Batch: it has been performed, or is just being, and was not Reset")
	}
	err := b.wrong
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
	if b.call == nil {
		b.call = (*Op).call
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

// refuse makes Do return an error and perform nothing. The first error stays.
func (b *Batch) refuse(why error) {
	if b.wrong == nil {
		b.wrong = why
	}
}

// refuse makes Do refuse the Batch because of this operation.
func (op *Op) refuse(why error) {
	op.batch.refuse(fmt.Errorf("operation %d (%v): %w", op.index, op.kind, why))
}
