package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/readahead"
	"github.com/sluiceio/sluice/internal/sched"
)

// fetch is a part of a file that is being read, or has been.
type fetch struct {
	// file is for the garbage collector: while the kernel has the request, all
	// that is needed can be reached from it, although the stream be forgotten.
	file *DirectFile
	span readahead.Span // what was asked for
	buf  buffer.Buffer
	mem  []byte // the part of buf that is read into
	off  int64  // where mem begins in the file: at span.Start or, in blocks, before
	lent bool   // the user has had references to buf

	t       sched.Transfer
	started bool  // and not waited for
	done    bool  // n and err are the outcome
	n       int   // bytes in mem; less than all where the file ends, or with err
	err     error // never io.EOF
}

// bytes returns what there is from pos on, which lies in the span.
func (f *fetch) bytes(pos int64) []byte {
	end := min(f.off+int64(f.n), f.span.End)
	if !f.done || pos >= end {
		return nil
	}
	return f.mem[pos-f.off : end-f.off]
}

// fetches is a queue of them, the oldest first, and the memory of a stream.
type fetches struct {
	file   *DirectFile
	memory spares
	// later: nothing is started, and a fetch is made when it is waited for.
	later bool
	ring  []fetch
	first int
	count int
}

func newFetches(d *DirectFile, l layout, class *sched.Class) *fetches {
	q := &fetches{
		file: d, memory: newSpares(d, l.run, l.runs),
		// A read alone is a plain call, which the scheduler knows best.
		later: l.runs == 1 || d.file.core == nil,
		ring:  make([]fetch, l.runs),
	}
	for i := range q.ring {
		q.ring[i].file, q.ring[i].t.Class = d, class
	}
	return q
}

// push starts a fetch in memory that has been provided. The caller uses the
// file.
func (q *fetches) push(span readahead.Span) {
	f := &q.ring[(q.first+q.count)%len(q.ring)]
	q.count++
	f.buf = q.memory.take()
	f.span, f.off, f.lent, f.done = span, span.Start, false, false
	end := span.End
	if g := q.file.direct; g != nil {
		f.off, end = g.floor(span.Start), g.ceil(span.End)
	}
	f.mem = f.buf.Bytes()[:end-f.off]
	if !q.later {
		f.started = true
		core := q.file.file.core
		q.file.file.sched.core.StartRead(&f.t, core, f.mem, f.off, f.buf.Reg())
	}
}

// oldest returns the oldest fetch, which may not be done; nil if there is none.
func (q *fetches) oldest() *fetch {
	if q.count == 0 {
		return nil
	}
	return &q.ring[q.first]
}

// wait waits until f is done. The caller uses the file.
func (q *fetches) wait(ctx context.Context, f *fetch) {
	if f.done {
		return
	}
	if f.started {
		f.started = false
		f.n, f.err = f.t.Wait(ctx)
		if q.file.direct != nil && unsure(f.err) {
			f.n, f.err = q.file.direct.readBlocks(ctx, f.mem, f.off)
		}
	} else {
		f.n, f.err = q.file.fill(ctx, f.buf.Slice(0, len(f.mem)), f.off)
	}
	f.err = notEOF(f.err)
	f.done = true
}

// drop takes the n oldest fetches out, and keeps their memory unless a user
// has it too. Those in progress are ended early.
func (q *fetches) drop(n int) {
	for range n {
		f := &q.ring[q.first]
		q.first = (q.first + 1) % len(q.ring)
		q.count--
		if f.started {
			f.started = false
			_, _ = f.t.Wait(withdrawn) // nobody wants it any more
		}
		if f.lent {
			f.buf.Release()
		} else {
			q.memory.put(f.buf)
		}
		f.buf, f.mem = buffer.Buffer{}, nil
	}
}

// release drops all and gives the memory back.
func (q *fetches) release() {
	q.drop(q.count)
	q.memory.release()
}
