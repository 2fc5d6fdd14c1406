package batch

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/errs"
	"github.com/sluiceio/sluice/internal/handle"
)

// Batch is a list of operations that are performed in one call: [Batch.Do] waits for all of
// them, [Batch.Each] yields each as it ends.
type Batch struct {
	scheduler *sluice.Scheduler // nil before start, if it is the default one
	inside    *handle.Scheduler // scheduler's. Set by start
	slabs     [][]Op            // see place
	n         int
	state     atomic.Int32
	chains    int // counted by start
	run       run // what performs the operations, or has
	watch     watch
	reused    bool // Reset has emptied it
	// call is Op.call: a field so that a test can replace it.
	call func(*Op) error
}

var (
	// ErrChainBroken is the error of operations that were not begun because one before
	// them in their chain did not succeed wholly. It is ECANCELED, as io_uring has it.
	ErrChainBroken = errs.Wrap("an operation before it in the chain did not succeed", syscall.ECANCELED)

	// ErrNotBegun is the error of operations that were not begun because the context had
	// ended, or that count as such. It comes with the context's error.
	ErrNotBegun = errors.New("not begun")
)

// New returns an empty Batch on the Scheduler s, or on that of [sluice.Default] if s is nil.
// If there is none, Do returns the error.
func New(s *sluice.Scheduler) *Batch { return &Batch{scheduler: s, call: (*Op).call} }

// Do performs the operations and returns when all have ended. The error is that of the first
// operation, in the order in which they were added, that failed by itself. If none did, it is
// [ErrNotBegun] with ctx's error if that has kept one from beginning.
//
// A Batch is refused as a whole, and nothing is performed, if one of its operations is wrong
// in itself (see [Batch.ReadAt]), if its Scheduler is closed, or if it has been performed and
// was not Reset.
func (b *Batch) Do(ctx context.Context) error {
	r, err := b.start(ctx)
	if err != nil {
		return err
	}
	r.work(nil)
	return b.firstError()
}

// Each performs the operations and yields each as it ends, with its error; those of a chain in
// their order. As long as operations are quick, they are performed between the turns of the
// loop. If the loop is left early, what has not begun does not begin, and the rest is waited
// for. A Batch that is refused, see [Batch.Do], yields nothing but the error, with a nil Op.
func (b *Batch) Each(ctx context.Context) iter.Seq2[*Op, error] {
	return func(yield func(*Op, error) bool) {
		cancel := func() {}
		if ctx != nil { // start refuses nil
			ctx, cancel = context.WithCancel(ctx)
		}
		defer cancel()
		r, err := b.start(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		left := false
		r.work(func(op *Op) {
			if left {
				return
			}
			left = true // also if the loop's body panics
			if left = !yield(op, op.err); left {
				cancel()
			}
		})
	}
}

// firstError returns the error of Do.
func (b *Batch) firstError() (notBegun error) {
	for i := range b.n {
		switch op := b.op(i); op.state {
		case Failed:
			return op.err
		case NotBegun:
			if notBegun == nil {
				notBegun = op.err
			}
		}
	}
	return notBegun
}
