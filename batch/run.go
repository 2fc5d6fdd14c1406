package batch

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/workers"
)

// run performs a Batch. The caller of Do or Each begins alone (alone.go). When there is a reason to
// share the chains, it becomes one of several helpers, each a goroutine with a range of
// neighbouring chains. Neighbours are often in one directory, which the kernel lets one thread at a
// time change. A helper performs its chains one after the other, operation by operation, as single
// calls.
type run struct {
	b       *Batch
	ctx     context.Context // &isolated
	core    *sched.Scheduler
	helpers workers.Pool[*Op, workers.Range] // a job is the first operation of a chain
	each    func(*Op)                        // called with each ended operation; may be nil

	// ranges are the helpers' ranges, the caller's first. The lock under which the helpers call
	// TakeJob guards them.
	ranges []*workers.Range
	own    workers.Range // the caller's range

	isolated sched.IsolatedContext

	begin  sync.Once   // help
	helped atomic.Bool // set by help
	// ended holds at most mostUnseen operations that helpers have ended, until they are yielded. It
	// is nil without helpers, or in Do. Set by help, before the helpers begin.
	ended chan *Op
}

// mostUnseen is how many operations helpers may end beyond those that the loop of Each has seen.
// Chosen: helpers go on while the loop's body is busy for some time.
const mostUnseen = 256

// init prepares r for b.
func (r *run) init(ctx context.Context, b *Batch) {
	core := b.inside.Core
	*r = run{
		b: b, isolated: sched.IsolatedContext{Context: ctx}, core: core,
		ranges: append(r.ranges[:0], &r.own),
	}
	r.ctx = &r.isolated // a field of r, so as not to allocate
	r.own.Set(0, b.n)
}

// work performs the Batch. If each is not nil, work calls it with each operation that has ended.
func (r *run) work(each func(*Op)) {
	defer r.end()
	r.each = each
	defer r.helpers.Wait() // also if each panics
	left := r.alone()
	switch {
	case !r.helped.Load():
	case each == nil:
		r.helpers.Join(&r.own)
	default:
		r.yield(left)
	}
}

// end ends the run, and drops all its references.
func (r *run) end() {
	r.ctx, r.each, r.ended = nil, nil, nil
	r.isolated = sched.IsolatedContext{}
	r.b.state.Store(ended)
	r.b.inside.Release()
}

// help starts the helpers, unless they run already.
func (r *run) help() {
	r.begin.Do(func() {
		r.helpers.Init(r.mostHelpers(), r)
		if r.each != nil {
			r.ended = make(chan *Op, min(r.b.n, mostUnseen))
		}
		r.helped.Store(true)
		r.helpers.Call()
	})
}

// mostHelpers returns how many helpers can be of use: as many as the driver takes operations, or as
// there may be calls with names, if no operation is on an open file. More would wait for permits.
func (r *run) mostHelpers() int {
	if r.b.onFiles {
		return r.core.Driver().Depth
	}
	return r.core.MostNamed()
}

// yield yields the operations that helpers end; left is their number. If the loop's body does not
// return, the rest of the Batch ends without it.
func (r *run) yield(left int) {
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

// DoJob performs a chain in a helper's goroutine. For Each, it sends the ended operations to the
// goroutine that yields.
func (r *run) DoJob(head *Op) {
	c := chain{r: r, head: head, op: head}
	for op := c.step(); op != nil; op = c.step() {
		if r.ended != nil {
			r.ended <- op
		}
	}
}

// chain performs a chain, one operation after the other.
type chain struct {
	r      *run
	head   *Op
	op     *Op   // the next operation; nil at the end
	broken error // the reason why the rest is not begun
}

// step performs the next operation, or notes that it is not begun, and returns it. At the end it
// returns nil.
func (c *chain) step() *Op {
	r, op := c.r, c.op
	if op == nil {
		return nil
	}
	if c.broken == nil && r.ctx.Err() != nil {
		c.broken = r.notBegun()
	}
	if c.broken != nil {
		op.skip(c.broken)
	} else if op.perform(r); op.state == notBegun {
		c.broken = r.notBegun()
	} else if op.err != nil {
		c.broken = ErrChainBroken
	}
	if c.op = op.next; c.op == nil || op.state == failed {
		closeOwned(c.head, op) // before anybody knows that the chain has ended
	}
	return op
}

// rest performs the rest of the chain, and returns the number of its operations.
func (c *chain) rest() (n int) {
	for ; c.step() != nil; n++ {
	}
	return n
}

// closeOwned closes the files that the operations from head to last have opened, if their chain
// owns them and they are still open.
func closeOwned(head, last *Op) {
	for op := head; ; op = op.next {
		if op.owned && op.state == done {
			_ = op.closeOwned() // the operation that closes it returns the error that matters
		}
		if op == last {
			return
		}
	}
}

// notBegun returns the error of operations that do not begin because the context has ended.
func (r *run) notBegun() error { return fmt.Errorf("%w: %w", ErrNotBegun, r.ctx.Err()) }
