package sluice

import (
	"io"
	"iter"
	"slices"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/merge"
	"github.com/sluiceio/sluice/internal/sched"
)

// manyRequest is a read of a ReadMany, for one range or several.
type manyRequest struct {
	transfer sched.Transfer
	flying   bool
	at       merge.Extent
	buf      buffer.Buffer
	of       *asked // the ranges it is for, linked by next, until it has ended
	left     int    // how many of them were not yielded
	next     *manyRequest
}

func (r *manyRequest) size() int { return int(r.at.Len()) }

// start starts requests while something is wanted, and there is room. It
// reports whether it has started any, and whether the file is open.
func (m *many) start() (some, ok bool) {
	pool := m.d.file.sched.pools.buffers
	for m.inflight < m.o.Depth && m.begun < 2*m.o.Depth {
		r := m.nextRequest()
		// Half of the pool is for others, among them who reads in the loop: what
		// they wait for nobody would release.
		if r == nil || m.inflight > 0 && !pool.Ample(r.size()) {
			break
		}
		b, ok := pool.TryGet(r.size())
		if !ok {
			break
		}
		if !m.begin(r, b) {
			return some, false
		}
		some = true
		if m.inflight == 0 {
			break // it is done already, and to be yielded
		}
	}
	return some, true
}

// nextRequest returns the next request; nil if nothing is wanted.
func (m *many) nextRequest() *manyRequest {
	if m.waiting != nil || m.window.Len() == 0 {
		return m.waiting
	}
	r := m.freeReqs
	if r == nil {
		r = new(manyRequest)
		r.transfer.Owner, r.transfer.Class = r, m.class
		m.reqs = append(m.reqs, r)
	} else {
		m.freeReqs = r.next
	}
	r.at, m.scratch = m.window.Next(m.scratch[:0])
	r.left = len(m.scratch)
	for _, a := range slices.Backward(m.scratch) {
		a.req, a.next = r, r.of
		r.of = a
	}
	m.waiting = r
	return r
}

// begin reads r, which has waited for memory, into b, and reports whether the
// file is open.
func (m *many) begin(r *manyRequest, b buffer.Buffer) bool {
	m.waiting = nil
	m.begun++
	r.buf = b
	if m.d.file.core == nil {
		n, err := m.d.fill(m.ctx, b, r.at.Off)
		m.finish(r, n, m.d.file.error("read", err))
		return true
	}
	r.flying = m.group.StartRead(&r.transfer, m.d.file.core, b.Bytes(), r.at.Off, b.Reg())
	if r.flying {
		m.inflight++
	}
	return r.flying
}

// ended takes r, whose transfer has ended.
func (m *many) ended(r *manyRequest) {
	n, err := r.transfer.Result(m.ctx)
	r.flying = false
	m.inflight--
	if err = notEOF(err); err == nil {
		m.finish(r, n, nil)
		return
	}
	if m.repeats(r, err) && m.d.file.core.Use() {
		m.apart(r)
		m.d.file.core.Done()
		return
	}
	m.finish(r, 0, m.d.file.error("read", err))
}

// repeats tells whether r, which has failed, is read again: if it is for
// several ranges, or where fill would.
func (m *many) repeats(r *manyRequest, err error) bool {
	if m.ctx.Err() != nil {
		return false
	}
	return r.left > 1 || m.d.direct != nil && unsure(err)
}

// apart reads the ranges of r, which has failed, one by one: none is to have an
// error that is another's, or that of a gap. Each goes where it would have been,
// and what it has in common with the ones before is not read again: that could
// spoil what they have, by failing, or because the file has become shorter. The
// caller uses the file.
func (m *many) apart(r *manyRequest) {
	var got merge.Extent // what is there and stays, up to the range at hand
	ended := false       // the file ends at got.End
	for a := range r.ends() {
		e := m.extent(a.Range)
		if e.Off >= got.End {
			got, ended = merge.Extent{Off: e.Off, End: e.Off}, false
		}
		var err error
		if want := int(e.End - got.End); want > 0 && !ended {
			var n int
			lo := int(got.End - r.at.Off)
			n, err = m.d.fill(m.ctx, r.buf.Slice(lo, lo+want), got.End)
			if err == nil {
				got.End += int64(n)
				ended = n < want
			}
		}
		a.n, a.err = int(got.End-r.at.Off), m.d.file.error("read", err)
		m.did(a)
	}
}

// finish notes how r has ended: so much of its memory was read, or the error.
func (m *many) finish(r *manyRequest, n int, err error) {
	for a := range r.ends() {
		a.n, a.err = n, err
		m.did(a)
	}
}

// ends goes through the ranges of r, which has ended.
func (r *manyRequest) ends() iter.Seq[*asked] {
	return func(yield func(*asked) bool) {
		for a := r.of; a != nil; a = r.of {
			r.of, a.next = a.next, nil
			if !yield(a) {
				return
			}
		}
	}
}

// part is what r has read of one of its ranges.
func (r *manyRequest) part(a *asked) (Buffer, error) {
	behind := int(a.Off - r.at.Off)
	if a.n <= behind {
		return Buffer{}, io.EOF
	}
	b := r.buf
	if r.left > 1 {
		b = b.Retain()
	} else {
		r.buf = buffer.Buffer{} // the last one has its reference
	}
	return Buffer{b.Slice(behind, min(a.n, behind+a.Len))}, nil
}

// unread makes the ranges that were read and not yielded wanted again, and
// gives their memory back. When in order, they may be behind one that has no
// memory yet: a request's ranges are not those of the next ones.
func (m *many) unread() {
	for a := m.due.Front(); a != nil; a = a.links.Next() {
		if r := a.req; r != nil && a.done {
			a.req, a.done = nil, false
			m.window.Add(m.extent(a.Range), a)
			m.drop(r)
		}
	}
}

// drop ends the use of r by one of its ranges.
func (m *many) drop(r *manyRequest) {
	if r.left--; r.left > 0 {
		return
	}
	m.begun--
	r.buf.Release()
	r.buf = buffer.Buffer{}
	r.next, m.freeReqs = m.freeReqs, r
}
