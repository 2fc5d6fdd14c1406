package batch

import (
	"os"
	"sync"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"

	"github.com/sluiceio/sluice/internal/sys"
)

// The caller of Do or Each performs chains alone until there is a reason to share them. An
// operation that does not wait ends before a helper could begin, because the helper's processor
// must be woken first. Helpers begin in three cases: the next chain is sure to wait; the caller has
// gone on for aloneMost; or one chain takes as long as stuckAfter. A slow chain waits for a server,
// for example, or for the other end of a FIFO, which another operation of the Batch may open.

const (
	// aloneMost is how long the caller goes on alone. 100 and 400 µs were measured:
	// docs/results/mechanisms.md.
	aloneMost = 200 * time.Microsecond
	// stuckAfter is the period of a timer that looks whether the caller is still at the same chain.
	// Helpers begin after one to two periods.
	stuckAfter = 10 * time.Millisecond
)

// alone performs chains in the caller's goroutine until no chain is left. For Each, it returns when
// helpers begin. It returns how many operations are left to yield.
func (r *run) alone() (left int) {
	left = r.b.n
	if left == 0 {
		return 0
	}
	if r.b.chains == 1 && r.each == nil {
		c := chain{r: r, head: r.b.op(0), op: r.b.op(0)}
		c.rest()
		return 0
	}
	r.startWatch()
	defer r.stopWatch()
	start := r.core.Now()
	for chains := 1; left > 0; chains++ {
		head := r.next()
		if head == nil {
			break
		}
		if head.waits(r) {
			r.help()
		}
		if r.each != nil && r.helped.Load() {
			break // the goroutine that yields does not wait for operations
		}
		if _, ok := r.own.Take(); !ok {
			break
		}
		left = r.aloneChain(head, left)
		// A look at the clock costs a tenth of a stat, so it follows only 1, 2, 4, 8 … chains.
		if chains&(chains-1) == 0 && left > 0 && r.core.Now()-start >= aloneMost {
			r.help()
		}
	}
	return left
}

// next returns the caller's next chain, without taking it, or nil if the helpers have all other
// chains.
func (r *run) next() *Op {
	for {
		i, ok := r.own.Next()
		if !ok {
			return nil
		}
		if op := r.b.op(i); !op.inner {
			return op
		}
		if _, ok := r.own.Take(); !ok {
			return nil
		}
	}
}

// aloneChain performs a chain and yields its operations. left counts the Batch's operations that
// are not yet yielded; aloneChain returns the count after the chain. If the loop's body does not
// return, the rest of the Batch ends without it.
func (r *run) aloneChain(head *Op, left int) int {
	c := chain{r: r, head: head, op: head}
	if r.each == nil {
		return left - c.rest()
	}
	returned := false
	defer func() {
		if !returned {
			left -= c.rest()
			r.help()
			r.each = func(*Op) {}
			r.yield(left)
			r.helpers.Wait()
		}
	}()
	for op := c.step(); op != nil; op = c.step() {
		left--
		r.each(op)
	}
	returned = true
	return left
}

// waits reports whether a chain is sure to wait, or may wait for ever while other operations could
// be yielded.
func (op *Op) waits(r *run) bool {
	for ; op != nil; op = op.next {
		switch op.kind {
		case opSync, opDatasync:
			return true
		case opOpenFile, opReadFile: // of a FIFO
			if r.each != nil && r.b.chains > 1 || int(op.off)&(os.O_SYNC|sys.O_DIRECT) != 0 {
				return true
			}
		case opReadAt, opWriteAt:
			if r.core.Classes().Active() || op.file != nil && isDirect(op.file) {
				return true
			}
		}
	}
	return false
}

// watch is the timer that starts helpers if the caller stays long at one chain. The Batch owns it,
// not the run: a run is overwritten when it begins, and look may be called late.
//
// If the Batch was Reset before, the timer stays set after the run: the Batch is likely to be used
// again at once, and stopping and setting a timer takes 0.2 µs. Otherwise the run stops the timer,
// so that a program with many Batches has few timers.
type watch struct {
	timer *time.Timer
	mu    sync.Mutex
	// The fields below are guarded by mu.
	running bool // the caller is performing chains. If not, look does nothing
	set     bool // the timer is set, or look is about to run
	seen    int  // how many chains were left at the last look
}

// startWatch starts the timer. The caller must call stopWatch.
func (r *run) startWatch() {
	w := &r.b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.running = -1, true
	switch {
	case w.set:
	case w.timer == nil:
		w.timer = time.AfterFunc(stuckAfter, r.b.look)
	default:
		w.timer.Reset(stuckAfter)
	}
	w.set = true
}

// look starts helpers if the caller is at the same chain as at the last look. Otherwise it sets the
// timer again. Between two runs it must not use the run.
func (b *Batch) look() {
	w := &b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set = false
	if !w.running {
		return
	}
	left := b.run.own.Len()
	if left == w.seen {
		b.run.help()
		return
	}
	w.seen, w.set = left, true
	w.timer.Reset(stuckAfter)
}

// stopWatch ends startWatch. From then on look does nothing.
func (r *run) stopWatch() {
	w := &r.b.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	if !r.b.reused && w.timer.Stop() {
		w.set = false
	}
}

// isDirect reports whether f was opened with O_DIRECT.
func isDirect(f *sluice.File) bool {
	core := inside.File(f).IO
	return core != nil && core.Direct()
}
