package direct

import (
	"context"
	"errors"
	"iter"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/merge"
	"github.com/sluiceio/sluice/internal/sched"
)

// readManyIter is a ReadMany in progress. A taken range is first wanted, in window. Then it is part
// of a request, which waits for memory, is in flight, and has ended. Then the range is yielded.
// Only the goroutine that loops uses a readManyIter.
type readManyIter struct {
	ctx    context.Context
	d      *File
	o      ReadManyOptions
	window *merge.Window[*pendingRange]
	set    *sched.TransferSet // the requests in flight; empty if the file has no disk I/O
	class  *sched.Class       // of the context

	// yieldQueue holds the ranges to be yielded next: all taken ranges, or with Unordered the
	// finished ones.
	yieldQueue list.List[pendingRange]
	open       int // taken ranges that were not yielded
	// withoutRequest counts the ranges of open that need no request.
	withoutRequest int

	waiting *manyRequest // the request that waits for memory, or nil
	// requests with memory: in flight, or with a range that was not yielded
	begun    int
	inflight int

	reqs       []*manyRequest // every request that was made
	freeReqs   *manyRequest
	freeRanges *pendingRange
	scratch    []*pendingRange
}

// newReadManyIter returns a readManyIter, or an error if the file is closed.
func newReadManyIter(ctx context.Context, d *File, o ReadManyOptions) (*readManyIter, error) {
	core := d.h.Sched.Core
	// More than the driver's depth would wait in the scheduler. A Scheduler that was closed before
	// it chose a driver has depth 0, but a window needs 1.
	o.Depth = max(1, min(o.Depth, core.Driver().Depth))
	limits := merge.Limits{Size: int64(o.MergeSize), Gap: int64(o.MergeGap), Amplification: o.Amplification}
	m := &readManyIter{
		ctx: ctx, d: d, o: o, set: new(sched.TransferSet),
		window: merge.New[*pendingRange](limits, min(o.Depth, manyLookahead)),
		class:  core.Classes().In(ctx),
	}
	err := d.call("read", func() error {
		if d.h.IO != nil { // else each read is a plain call
			m.set = core.NewTransferSet(ctx, d.h.IO)
		}
		return nil
	})
	return m, err
}

func (m *readManyIter) run(ranges iter.Seq[Range], yield func(ReadResult, error) bool) {
	defer m.end()
	for r := range ranges {
		m.addRange(r)
		for m.window.Full() || m.withoutRequest >= m.o.Depth {
			if !m.step(yield) {
				return
			}
		}
	}
	for m.open > 0 {
		if !m.step(yield) {
			return
		}
	}
}

// step starts requests that can start, and yields results that are there. Without either it waits.
// It reports whether the iteration goes on.
func (m *readManyIter) step(yield func(ReadResult, error) bool) bool {
	if err := m.ctx.Err(); err != nil {
		return m.fail(err, yield)
	}
	started, ok := m.start()
	if !ok {
		return m.fail(os.ErrClosed, yield)
	}
	if m.hasResult() {
		m.set.Submit() // before the body of the loop takes its time
		for m.hasResult() {
			if !yield(m.nextResult()) {
				return false
			}
		}
		return true
	}
	if started {
		return true
	}
	if m.inflight == 0 {
		return m.waitForMemory(yield)
	}
	t, err := m.set.Next(m.ctx)
	if err != nil {
		return m.fail(err, yield)
	}
	for ; t != nil; t, _ = m.set.Next(directio.Canceled) { // without a wait
		m.ended(t.Owner.(*manyRequest))
	}
	return true
}

// waitForMemory waits until the next request has memory. No request may be in flight.
func (m *readManyIter) waitForMemory(yield func(ReadResult, error) bool) bool {
	// Release all memory before the wait: another goroutine may wait for it, and hold the memory
	// that this one waits for.
	m.giveBackUnread()
	r := m.nextRequest()
	b, err := m.d.h.Sched.Buffers.Get(m.ctx, r.size())
	switch {
	case err == nil && m.begin(r, b):
	case err == nil, errors.Is(err, buffer.ErrClosed):
		return m.fail(os.ErrClosed, yield)
	case m.ctx.Err() != nil:
		return m.fail(m.ctx.Err(), yield)
	default: // too large, or the system has no memory
		m.waiting = nil
		m.begun++
		m.finish(r, 0, m.d.h.Error("read", err))
	}
	return true
}

// hasResult reports whether there is a result to yield.
func (m *readManyIter) hasResult() bool {
	a := m.yieldQueue.Front()
	return a != nil && a.done
}

// nextResult returns the next result.
func (m *readManyIter) nextResult() (ReadResult, error) {
	a := m.yieldQueue.Front()
	m.yieldQueue.Remove(&a.links)
	res, err := ReadResult{Range: a.Range}, a.err
	m.open--
	if r := a.req; r == nil {
		m.withoutRequest--
	} else {
		if err == nil {
			res.Buffer, err = r.part(a)
		}
		m.drop(r)
	}
	*a = pendingRange{next: m.freeRanges}
	m.freeRanges = a
	return res, err
}

// fail ends the iteration with err. It returns false.
func (m *readManyIter) fail(err error, yield func(ReadResult, error) bool) bool {
	m.end()
	yield(ReadResult{}, m.d.h.Error("read", err))
	return false
}

// end withdraws the requests in flight and frees all memory. A second call does nothing.
func (m *readManyIter) end() {
	for _, r := range m.reqs {
		if r.flying {
			r.transfer.Withdraw()
		}
	}
	for ; m.inflight > 0; m.inflight-- {
		t, _ := m.set.Next(context.Background()) // fails only with its context
		r := t.Owner.(*manyRequest)
		t.Result(m.ctx)
		r.flying = false
	}
	for _, r := range m.reqs {
		r.buf.Release()
		r.buf = buffer.Buffer{}
	}
	m.set.Close()
}
