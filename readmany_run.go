package sluice

import (
	"context"
	"errors"
	"iter"
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/merge"
	"github.com/sluiceio/sluice/internal/sched"
)

// many is a ReadMany in progress. A range that was asked for is at first wanted,
// in the window; then part of a request, which waits for memory, is in flight,
// and has ended; then yielded. All is done by the goroutine that loops.
type many struct {
	ctx    context.Context
	d      *DirectFile
	o      ReadManyOptions
	window *merge.Window[*asked]
	group  *sched.Group // of the requests in flight
	class  *sched.Class // the context's

	// due are the ranges that are to be yielded next, one after the other: when
	// in order all that were asked for, and else those that are done.
	due  list.List[asked]
	open int // asked for and not yielded
	// quick counts those of open that need no request.
	quick int

	waiting  *manyRequest // for memory
	begun    int          // requests that have it: in flight, or with a range that was not yielded
	inflight int

	reqs      []*manyRequest // all there are
	freeReqs  *manyRequest
	freeAsked *asked
	scratch   []*asked
}

func newMany(ctx context.Context, d *DirectFile, o ReadManyOptions) *many {
	core := d.file.sched.core
	o.Depth = min(o.Depth, core.Driver().Depth) // more would wait there
	limits := merge.Limits{Size: int64(o.MergeSize), Gap: int64(o.MergeGap), Amplification: o.Amplification}
	return &many{
		ctx: ctx, d: d, o: o,
		window: merge.New[*asked](limits, min(o.Depth, manyLookahead)),
		group:  core.NewGroup(ctx, d.file.core),
		class:  core.ClassIn(ctx),
	}
}

func (m *many) run(ranges iter.Seq[Range], yield func(ReadResult, error) bool) {
	defer m.end()
	for r := range ranges {
		m.ask(r)
		for m.window.Full() || m.quick >= m.o.Depth {
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

// step starts what can be, yields what is done, and waits if there was neither.
// It reports whether the iteration goes on.
func (m *many) step(yield func(ReadResult, error) bool) bool {
	if err := m.ctx.Err(); err != nil {
		return m.fail(err, yield)
	}
	started, ok := m.start()
	if !ok {
		return m.fail(os.ErrClosed, yield)
	}
	if m.isDue() {
		m.group.Submit() // before the caller takes his time
		for m.isDue() {
			if !yield(m.next()) {
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
	t, err := m.group.Next(m.ctx)
	if err != nil {
		return m.fail(err, yield)
	}
	for ; t != nil; t = m.group.Take() {
		m.ended(t.Owner.(*manyRequest))
	}
	return true
}

// waitForMemory waits until the next request has memory, when none is in
// flight.
func (m *many) waitForMemory(yield func(ReadResult, error) bool) bool {
	// Who waits with memory in hand may wait for somebody who does the same.
	m.unread()
	r := m.nextRequest()
	b, err := m.d.file.sched.pools.buffers.Get(m.ctx, r.size())
	switch {
	case err == nil && m.begin(r, b):
	case err == nil, errors.Is(err, buffer.ErrClosed):
		return m.fail(os.ErrClosed, yield)
	case m.ctx.Err() != nil:
		return m.fail(m.ctx.Err(), yield)
	default: // too large, or the system has none
		m.waiting = nil
		m.begun++
		m.finish(r, 0, m.d.file.error("read", err))
	}
	return true
}

// isDue tells whether there is a result to be yielded.
func (m *many) isDue() bool {
	a := m.due.Front()
	return a != nil && a.done
}

// next is the next result.
func (m *many) next() (ReadResult, error) {
	a := m.due.Front()
	m.due.Remove(&a.links)
	res, err := ReadResult{Range: a.Range}, a.err
	m.open--
	if r := a.req; r == nil {
		m.quick--
	} else {
		if err == nil {
			res.Buffer, err = r.part(a)
		}
		m.drop(r)
	}
	*a = asked{next: m.freeAsked}
	m.freeAsked = a
	return res, err
}

// fail ends the iteration with an error.
func (m *many) fail(err error, yield func(ReadResult, error) bool) bool {
	m.end()
	yield(ReadResult{}, m.d.file.error("read", err))
	return false
}

// end withdraws what is in flight and gives all memory back. The second time it
// does nothing.
func (m *many) end() {
	for _, r := range m.reqs {
		if r.flying {
			r.transfer.Withdraw()
		}
	}
	for ; m.inflight > 0; m.inflight-- {
		t, _ := m.group.Next(context.Background()) // fails only with its context
		r := t.Owner.(*manyRequest)
		t.Result(m.ctx)
		r.flying = false
	}
	for _, r := range m.reqs {
		r.buf.Release()
		r.buf = buffer.Buffer{}
	}
	m.group.Close()
}
