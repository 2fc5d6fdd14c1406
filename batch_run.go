package sluice

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/sched"
)

// batchRun performs a Batch. Its caller begins alone (batch_lead.go). A crew of
// goroutines, that he is one of then, goes on once there is reason to share the
// chains out, each some that come one after the other (Span): neighbours are often
// of one directory, which the kernel lets one thread at a time change. Each performs
// one after the other, operation by operation, in the ways that are there for
// single ones. Chains that the kernel can perform as a whole are
// the lane's (batch_lane.go), if there are enough of them.
type batchRun struct {
	b    *Batch
	ctx  context.Context // &apart
	core *sched.Scheduler
	crew sched.WorkerPool[*BatchOp, sched.WorkRange] // of first operations of chains
	lane *batchLane                                  // nil if there is none
	each func(*BatchOp)                              // called with each operation that has ended; may be nil

	// spans are what the crew's members have, the caller's first. Under the crew's
	// lock, by which TakeJob is called.
	spans []*sched.WorkRange
	own   sched.WorkRange // the caller's

	apart sched.IsolatedContext

	called atomic.Bool // there is, or has been, a crew. Written under mu
	timed  atomic.Bool // how long a chain takes was looked at
	// seen is what the watch has seen of own, and links are the watch's
	// (batch_watch.go).
	seen  int
	links list.Node[batchRun]

	mu sync.Mutex
	// What nobody has looked at for chains of the lane's: operations from front
	// to back. The lane takes them in order; the crew, when it has nothing else
	// to do and the lane shares them, from the back. Under mu.
	front, back int
	shared      bool
	// again are chains that the lane has not succeeded in. Under mu.
	again []*BatchOp
	// ended are operations that the crew has ended and that were not yielded; nil
	// without a crew, or if nobody wants to know. Room for all that may end before
	// who yields looks. Written under mu, before the crew is called.
	ended chan *BatchOp
}

// init prepares r for a Batch.
func (r *batchRun) init(ctx context.Context, b *Batch) {
	*r = batchRun{b: b, apart: b.s.h.Core.Isolate(ctx), core: b.s.h.Core, back: b.n, spans: append(r.spans[:0], &r.own)}
	r.ctx = &r.apart // within r, so that there is nothing to allocate
	r.own.Set(0, b.n)
	r.lane = r.newLane()
}

// work performs the Batch, and has each called with each operation that has
// ended, unless it is nil.
func (r *batchRun) work(each func(*BatchOp)) {
	defer r.over()
	r.each = each
	defer func() { // also if who sees the operations panics
		if r.lane != nil {
			r.lane.running.Wait() // it calls the crew
		}
		r.crew.Wait()
	}()
	if r.lane != nil {
		r.call()
		r.lane.running.Go(r.lane.run)
	}
	left := r.lead()
	switch {
	case !r.called.Load():
	case each == nil:
		r.crew.Join(&r.own)
	default:
		r.yield(left)
	}
}

// over ends it, and keeps nothing alive.
func (r *batchRun) over() {
	r.ctx, r.each, r.lane, r.ended, r.again = nil, nil, nil, nil, nil
	r.apart = sched.IsolatedContext{}
	r.b.state.Store(batchOver)
	r.b.s.h.Release()
}

// call has the crew begin, if it has not.
func (r *batchRun) call() {
	r.mu.Lock()
	first := !r.called.Load()
	if first {
		depth := r.core.Driver().Depth
		r.crew.Init(depth, r)
		if r.each != nil {
			r.ended = make(chan *BatchOp, depth)
		}
		r.called.Store(true)
	}
	r.mu.Unlock()
	if first {
		r.crew.Call()
	}
}

// yield yields what the crew ends: all operations but those that were before, as
// many as are left. Should it not return, the rest ends without.
func (r *batchRun) yield(left int) {
	defer func() {
		for ; left > 0; left-- {
			<-r.ended
		}
	}()
	for left > 0 {
		op := <-r.ended
		left--
		r.each(op)
	}
}

// DoJob performs a chain, by a member of the crew. The first looks at how long that
// takes.
func (r *batchRun) DoJob(head *BatchOp) {
	c := chainRun{r: r, op: head}
	if r.timed.Load() || r.timed.Swap(true) {
		r.all(&c)
		return
	}
	kind, start := head.kind, r.core.Now()
	n := r.all(&c)
	r.b.s.paces.note(kind, r.core.Now()-start, n)
}

// all performs a chain, tells of each operation, and how many there were.
func (r *batchRun) all(c *chainRun) (n int) {
	for op := c.step(); op != nil; op = c.step() {
		n++
		r.tell(op)
	}
	return n
}

// tell tells who yields, if anybody, that an operation has ended.
func (r *batchRun) tell(op *BatchOp) {
	if r.ended != nil {
		r.ended <- op
	}
}

// chainRun performs a chain, one operation after the other.
type chainRun struct {
	r      *batchRun
	op     *BatchOp // the next; nil at the end
	broken error    // why the rest is not begun
}

// step performs the next operation, or notes that it is not begun, and returns it;
// nil if there is none.
func (c *chainRun) step() *BatchOp {
	r, op := c.r, c.op
	if op == nil {
		return nil
	}
	if c.broken == nil && r.ctx.Err() != nil {
		c.broken = r.notBegun()
	}
	if c.broken != nil {
		op.skip(c.broken)
	} else if op.perform(r); op.state == NotBegun {
		c.broken = r.notBegun()
	} else if op.err != nil {
		c.broken = ErrLinkBroken
	}
	if c.op = op.next; c.op == nil || op.state == Failed {
		r.closeOwn(op) // before anybody knows that the chain has ended
	}
	return op
}

// rest performs what is left, and tells how many that were.
func (c *chainRun) rest() (n int) {
	for ; c.step() != nil; n++ {
	}
	return n
}

// closeOwn closes the files of last's own chain, up to it, that are open.
func (r *batchRun) closeOwn(last *BatchOp) {
	for op := last; ; op = r.b.at(int(op.index) - 1) { // a chain's operations are neighbours
		if op.closed && op.state == Done {
			_ = op.closeOwn() // what matters has been told by an operation
		}
		if !op.inner {
			return
		}
	}
}

// notBegun is the error of what does not begin, as the context has ended.
func (r *batchRun) notBegun() error { return fmt.Errorf("%w: %w", ErrNotBegun, r.ctx.Err()) }
