package batch

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
)

// Batch is a set of chains of operations. [Batch.Do] performs them and waits for all. [Batch.Each]
// yields each operation when it has ended. The zero Batch is an empty Batch on the Scheduler of
// [sluice.Default], as New(nil) makes it.
type Batch struct {
	scheduler *sluice.Scheduler // before start, nil means the default one
	inside    *handle.Scheduler // the inside of scheduler. Set by start
	slabs     [][]Op            // see place
	n         int               // operations
	last      []*Op             // the last operation of each chain; nil if the chain is empty
	few       [4]*Op            // the first memory of last; see Chain
	chains    int               // chains that have operations
	onFiles   bool              // an operation is on a file that the chain does not open
	wrong     error             // the error for which Do refuses the Batch
	age       uint32            // how often the Batch was Reset
	state     atomic.Int32
	run       run // performs the operations, or has performed them
	watch     watch
	reused    bool // Reset has emptied it
	// call is Op.call, unless a test replaces it. Set by start
	call func(*Op) error
}

// ErrNotBegun is the error of an operation that was not begun. It comes with the context's error if
// the context has ended, and as [ErrChainBroken] if the chain is broken.
var ErrNotBegun = errors.New("not begun")

// ErrChainBroken is the error of an operation that was not begun because an earlier operation of
// its chain has failed. errors.Is finds ErrNotBegun and ECANCELED in it; io_uring returns
// ECANCELED, too.
var ErrChainBroken error = chainBroken{}

type chainBroken struct{}

func (chainBroken) Error() string {
	return "an operation before it in the chain did not succeed: " + syscall.ECANCELED.Error()
}

func (chainBroken) Unwrap() []error { return []error{ErrNotBegun, syscall.ECANCELED} }

// New returns an empty Batch on the Scheduler s. A nil s is the Scheduler of [sluice.Default]; if
// Default fails, Do returns its error.
func New(s *sluice.Scheduler) *Batch { return &Batch{scheduler: s} }

// Do performs the operations and returns when all have ended. It returns the error of the first
// failed operation, in the order in which they were added. If none has failed, and the context has
// kept one from beginning, it returns [ErrNotBegun] with ctx's error.
//
// The error of a short read is io.EOF itself, as from [sluice.File.ReadAt], and names no file. The
// read whose [Op.Err] is io.EOF was short.
//
// Do refuses the whole Batch, and performs nothing, if an operation is wrong (see [Target]), if the
// Scheduler is closed, or if the Batch was performed and not Reset.
func (b *Batch) Do(ctx context.Context) error {
	r, err := b.start(ctx)
	if err != nil {
		return err
	}
	r.work(nil)
	return b.firstError()
}

// Each performs the operations, and yields each with its error when it has ended. Operations of a
// chain come in their order. Quick operations run on the calling goroutine, between two turns of
// the loop. After a break no further operation begins, and Each waits for operations in progress.
// If Do would refuse the Batch, Each yields a nil Op and the error.
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
func (b *Batch) firstError() (unbegun error) {
	for i := range b.n {
		switch op := b.op(i); op.state {
		case failed:
			return op.err
		case notBegun:
			if unbegun == nil {
				unbegun = op.err
			}
		}
	}
	return unbegun
}
