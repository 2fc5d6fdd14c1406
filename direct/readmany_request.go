package direct

import (
	"io"
	"iter"
	"slices"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/merge"
	"github.com/sluiceio/sluice/internal/sched"
)

// manyRequest is a read for one range or several.
type manyRequest struct {
	transfer sched.Transfer
	flying   bool
	at       merge.Extent
	buf      buffer.Buffer
	of       *pendingRange // its ranges, linked by next, until it has ended
	left     int           // how many of them are not yielded yet
	next     *manyRequest
}

func (r *manyRequest) size() int { return int(r.at.Len()) }

// start starts requests while ranges are wanted and there is room. some reports whether it has
// started any, and ok whether the file is open.
func (m *readManyIter) start() (some, ok bool) {
	pool := m.d.h.Sched.Buffers
	for m.inflight < m.o.Depth && m.begun < 2*m.o.Depth {
		r := m.nextRequest()
		// Half of the pool stays free for other reads. A read in the body of the loop would
		// otherwise wait for memory that nobody could release.
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
			break // it has ended already, and can be yielded
		}
	}
	return some, true
}

// nextRequest returns the next request, or nil if no range is wanted.
func (m *readManyIter) nextRequest() *manyRequest {
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

// begin starts reading r, which has waited for memory, into b. It reports whether the
// file is open.
func (m *readManyIter) begin(r *manyRequest, b buffer.Buffer) bool {
	m.waiting = nil
	m.begun++
	r.buf = b
	if m.d.h.IO == nil {
		n, err := m.d.fill(m.ctx, b, r.at.Off)
		m.finish(r, n, m.d.h.Error("read", err))
		return true
	}
	if !m.d.h.IO.Use() { // BeforeEnd asks the descriptor
		return false
	}
	defer m.d.h.IO.Done()
	mem := b.Bytes()
	if m.d.direct != nil && m.d.direct.Past(r.at.Off, len(mem)) {
		m.readSeparately(r)
		return true
	}
	if m.d.direct != nil {
		mem = m.d.direct.BeforeEnd(mem, r.at.Off)
	}
	if len(mem) == 0 { // r lies beyond the end of the file
		m.finish(r, 0, nil)
		return true
	}
	m.set.StartRead(&r.transfer, m.d.h.IO, mem, r.at.Off, b.Reg())
	r.flying = true
	m.inflight++
	return true
}

// ended processes the result of r, whose transfer has ended.
func (m *readManyIter) ended(r *manyRequest) {
	n, err := r.transfer.Result(m.ctx)
	r.flying = false
	m.inflight--
	if err = directio.NotEOF(err); err == nil {
		m.finish(r, n, nil)
		return
	}
	if m.repeats(r, err) && m.d.h.IO.Use() {
		m.readSeparately(r)
		m.d.h.IO.Done()
		return
	}
	m.finish(r, 0, m.d.h.Error("read", err))
}

// repeats reports whether r, which has failed with err, is read again: because it has several
// ranges, or because fill would read it again.
func (m *readManyIter) repeats(r *manyRequest, err error) bool {
	if m.ctx.Err() != nil {
		return false
	}
	return r.left > 1 || m.d.direct != nil && directio.MustReadAgain(err)
}

// readSeparately reads the ranges of r, which has failed, one by one, so that none gets the error
// of another range or of a gap. Each range has its old place in memory. Bytes that earlier ranges
// have read are not read again: a read that fails, or finds a shorter file, could spoil those
// ranges. The caller uses the file.
func (m *readManyIter) readSeparately(r *manyRequest) {
	var got merge.Extent // the bytes that were read and stay, up to the current range
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
		a.n, a.err = int(got.End-r.at.Off), m.d.h.Error("read", err)
		m.markDone(a)
	}
}

// finish ends the ranges of r, with the first n bytes of its memory, or with err.
func (m *readManyIter) finish(r *manyRequest, n int, err error) {
	for a := range r.ends() {
		a.n, a.err = n, err
		m.markDone(a)
	}
}

// ends removes the ranges of r, which has ended, and iterates over them.
func (r *manyRequest) ends() iter.Seq[*pendingRange] {
	return func(yield func(*pendingRange) bool) {
		for a := r.of; a != nil; a = r.of {
			r.of, a.next = a.next, nil
			if !yield(a) {
				return
			}
		}
	}
}

// part returns the bytes of a, a range of r.
func (r *manyRequest) part(a *pendingRange) (Buffer, error) {
	blockOffset := int(a.Off - r.at.Off)
	if a.n <= blockOffset {
		return Buffer{}, io.EOF
	}
	b := r.buf
	if r.left > 1 {
		b = b.Retain()
	} else {
		r.buf = buffer.Buffer{} // the last range takes over r's reference
	}
	return Buffer{b.Slice(blockOffset, min(a.n, blockOffset+a.Len))}, nil
}

// giveBackUnread frees the memory of ranges that were read and not yielded, and makes them wanted
// again. With ordered results, a range that was read may be behind one without memory: the ranges
// of one request need not follow each other.
func (m *readManyIter) giveBackUnread() {
	for a := m.yieldQueue.Front(); a != nil; a = a.links.Next() {
		if r := a.req; r != nil && a.done {
			a.req, a.done = nil, false
			m.window.Add(m.extent(a.Range), a)
			m.drop(r)
		}
	}
}

// drop ends one range's use of r. The last one frees r.
func (m *readManyIter) drop(r *manyRequest) {
	if r.left--; r.left > 0 {
		return
	}
	m.begun--
	r.buf.Release()
	r.buf = buffer.Buffer{}
	r.next, m.freeReqs = m.freeReqs, r
}
