package sluice

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/sys"
)

// A Batch is performed by its caller alone as long as there is no reason to share
// it out: what does not wait is done before another goroutine would have begun, on a
// processor that has to be woken for it. The reasons are that operations seem to wait,
// or that what is left would take long, by what chains have taken so far; that the
// next chain is sure to wait; and that an operation goes on for long
// (batch_watch.go). How long operations of a kind take is remembered from one Batch
// to the next, so that with cold caches the first one is not waited for by itself.

const (
	// batchSlow is what an operation takes that has waited.
	batchSlow = 50 * time.Microsecond
	// batchAlone is for how long the caller goes on alone with those that do not.
	// Measured: docs/decisions/0022-batch.md.
	batchAlone = 400 * time.Microsecond
)

// lead performs chains by the caller until there is nothing left of his, or, if he
// is to yield, until the crew is called. It tells how many operations are left of
// those that he yields.
func (r *batchRun) lead() (left int) {
	left = r.b.n
	if r.called.Load() || left == 0 {
		return left
	}
	if r.b.chains == 1 && r.each == nil {
		c := chainRun{r: r, op: r.b.at(0)}
		c.rest()
		return 0
	}
	known := r.b.s.paces.of(r.b.at(0))
	if known >= batchSlow && !r.oneDirectory() {
		r.call()
		return left
	}
	r.b.s.watch.add(r)
	defer r.b.s.watch.remove(r)
	pace := batchPace{r: r}
	pace.begin(known)
	for left > 0 {
		head := r.next()
		if head == nil {
			break
		}
		if head.waits(r) {
			r.call()
		}
		if r.each != nil && r.called.Load() {
			break // who yields does not wait for operations
		}
		if _, ok := r.own.Take(); !ok {
			break
		}
		left = r.leadChain(head, left)
		if pace.long(left) {
			r.call()
		}
	}
	return left
}

// next returns the caller's next chain, which he has not taken yet; nil if the crew
// has what is left.
func (r *batchRun) next() *BatchOp {
	for {
		i, ok := r.own.Next()
		if !ok {
			return nil
		}
		if op := r.b.at(i); !op.inner {
			return op
		}
		if _, ok := r.own.Take(); !ok {
			return nil
		}
	}
}

// leadChain performs a chain and yields its operations, of so many that are left to
// yield, and tells how many are left then. Should the yielding not return, the rest
// ends without.
func (r *batchRun) leadChain(head *BatchOp, left int) int {
	c := chainRun{r: r, op: head}
	if r.each == nil {
		return left - c.rest()
	}
	returned := false
	defer func() {
		if !returned {
			left -= c.rest()
			r.call()
			r.each = func(*BatchOp) {}
			r.yield(left)
			r.crew.Wait()
		}
	}()
	for op := c.step(); op != nil; op = c.step() {
		left--
		r.each(op)
	}
	returned = true
	return left
}

// waits tells whether a chain is sure to wait, or may do so for ever while others
// could be yielded.
func (op *BatchOp) waits(r *batchRun) bool {
	for ; op != nil; op = op.next {
		switch op.kind {
		case opSync, opDatasync:
			return true
		case opOpenFile: // of a FIFO
			if r.each != nil && r.b.chains > 1 || int(op.off)&(os.O_SYNC|sys.O_DIRECT) != 0 {
				return true
			}
		case opReadAt, opReadVec, opWriteAt, opWriteVec:
			if r.core.HasClasses() || op.file != nil && op.file.h.Core != nil && op.file.h.Core.Direct() {
				return true
			}
		}
	}
	return false
}

// batchPace looks at how long chains take that the caller performs: after the first,
// the second, the fourth … To look at the clock can cost a tenth of what a stat does,
// so of Batches of few operations of a kind that did not wait of late only one in
// batchLook is looked at.
type batchPace struct {
	r      *batchRun
	looks  bool
	start  time.Duration
	chains int
}

const (
	batchFew  = 16
	batchLook = 8
)

// begin is told how long an operation is expected to take; 0 is not known.
func (p *batchPace) begin(known time.Duration) {
	s := p.r.b.s
	p.looks = known == 0 || known >= batchSlow || p.r.b.n > batchFew || s.few.Add(1)%batchLook == 0
	if p.looks {
		p.start = p.r.core.Now()
	}
}

// long is told that a chain has ended, and tells whether what is left had better be
// shared.
func (p *batchPace) long(left int) bool {
	p.chains++
	if !p.looks || p.chains&(p.chains-1) != 0 || left == 0 && p.chains > 1 {
		return false
	}
	r := p.r
	took, done := r.core.Now()-p.start, r.b.n-left
	r.timed.Store(true)
	r.b.s.paces.note(r.b.at(0).kind, took, done)
	each := took / time.Duration(done)
	return left > 0 && (each >= batchSlow || each*time.Duration(left) > batchAlone) && !r.oneDirectory()
}

// oneDirectory tells whether what the caller has left changes one directory, as far as
// he and who would take the second half are concerned: the kernel lets one thread at
// a time do that, and another one only makes it slower.
func (r *batchRun) oneDirectory() bool {
	i, ok := r.own.Next()
	if !ok {
		return false
	}
	dir, first, ok := r.b.at(i).changes()
	dir2, second, ok2 := r.b.at(i + r.own.Len()/2).changes()
	return ok && ok2 && dir == dir2 && first == second
}

// changes tells which directory an operation changes, if that is what it does.
func (op *BatchOp) changes() (dir *File, name string, ok bool) {
	switch name = op.name; op.kind {
	case opRename, opLink, opSymlink:
		name = op.other
	case opUnlink, opRmdir, opMkdir:
	default:
		return nil, "", false
	}
	return op.dir, name[:strings.LastIndexByte(name, filepath.Separator)+1], true
}

// batchPaces is how long an operation has taken of late, in nanoseconds, of chains
// that begin with one of a kind; 0 is not known.
type batchPaces [numBatchKinds]atomic.Int64

// note notes that n operations have taken so long.
func (p *batchPaces) note(kind batchKind, took time.Duration, n int) {
	each, old := int64(took)/int64(n), p[kind].Load()
	if each < old-old/4 || each > old+old/4 { // others read it
		p[kind].Store(each)
	}
}

// of is how long an operation of a chain that begins with op is expected to take.
func (p *batchPaces) of(op *BatchOp) time.Duration { return time.Duration(p[op.kind].Load()) }
