package sluice

import (
	"context"
	"fmt"
	"sync"

	"github.com/sluiceio/sluice/internal/sched"
)

// batchRun performs a Batch. A crew of goroutines shares its chains out among
// itself, each some that come one after the other (Span): neighbours are often of
// one directory, which the kernel lets one thread at a time change. Each performs
// one after the other, operation by operation, in the ways that are there for
// single ones. Chains that the kernel can perform as a whole are
// the lane's (batch_lane.go), if there are enough of them.
type batchRun struct {
	b    *Batch
	ctx  context.Context
	core *sched.Scheduler
	crew *batchCrew // of first operations of chains
	lane *batchLane // nil if there is none

	// spans are what the crew's members have. Under the crew's lock, by which
	// takeChain is called.
	spans []*sched.Span

	mu sync.Mutex
	// What nobody has looked at for chains of the lane's: operations from front
	// to back. The lane takes them in order; the crew, when it has nothing else
	// to do and the lane shares them, from the back. Under mu.
	front, back int
	shared      bool
	// again are chains that the lane has not succeeded in. Under mu.
	again []*BatchOp
	// ended are operations that have ended and were not yielded; nil if nobody
	// wants to know. Room for all that may end before who yields looks.
	ended chan *BatchOp
}

type batchCrew = sched.Crew[*BatchOp, sched.Span]

func newBatchRun(ctx context.Context, b *Batch) *batchRun {
	core := b.s.core
	r := &batchRun{b: b, ctx: core.Apart(ctx), core: core, back: b.n}
	r.crew = sched.NewCrew(r.core.Driver().Depth, r.ownChain, r.takeChain, r.perform)
	r.lane = r.newLane()
	return r
}

// work performs the Batch, and has each called with each operation that has
// ended, unless it is nil.
func (r *batchRun) work(each func(*BatchOp)) {
	defer r.b.s.lent.Done()
	if each != nil {
		r.ended = make(chan *BatchOp, r.core.Driver().Depth)
	}
	var lane sync.WaitGroup
	if r.lane != nil {
		lane.Go(r.lane.run)
	}
	if each == nil {
		r.crew.Join()
	} else {
		r.crew.Call()
		r.yield(each)
	}
	lane.Wait() // it calls the crew
	r.crew.Wait()
}

// yield calls each with all operations as they end. Should it not return, the
// rest ends without.
func (r *batchRun) yield(each func(*BatchOp)) {
	left := r.b.n
	defer func() {
		for ; left > 0; left-- {
			<-r.ended
		}
	}()
	for left > 0 {
		op := <-r.ended
		left--
		each(op)
	}
}

// perform performs a chain, one operation after the other.
func (r *batchRun) perform(head *BatchOp) {
	var broken error
	for op := head; op != nil; op = op.next {
		if broken == nil && r.ctx.Err() != nil {
			broken = r.notBegun()
		}
		if broken != nil {
			op.skip(broken)
		} else if op.perform(r); op.state == NotBegun {
			broken = r.notBegun()
		} else if op.err != nil {
			broken = ErrLinkBroken
		}
		if op.state == Failed || op.next == nil {
			closeOwn(head, op) // before anybody knows that the chain has ended
		}
		r.end(op)
	}
}

// closeOwn closes the chain's own files, from head to last, that are open.
func closeOwn(head, last *BatchOp) {
	for op := head; ; op = op.next {
		if op.closed && op.state == Done {
			_ = op.closeOwn() // what matters has been told by an operation
		}
		if op == last {
			return
		}
	}
}

// end tells that an operation has ended.
func (r *batchRun) end(op *BatchOp) {
	if r.ended != nil {
		r.ended <- op
	}
}

// notBegun is the error of what does not begin, as the context has ended.
func (r *batchRun) notBegun() error { return fmt.Errorf("%w: %w", ErrNotBegun, r.ctx.Err()) }
