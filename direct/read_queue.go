package direct

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/readahead"
	"github.com/sluiceio/sluice/internal/sched"
)

// pendingRead is a part of a file that is being read, or has been read.
type pendingRead struct {
	// file is for the garbage collector. While the kernel has the request, all that
	// it needs can be reached from here, even if the stream was dropped.
	file *File
	span readahead.Span // the part that was asked for
	buf  buffer.Buffer
	mem  []byte // the part of buf that is read into
	off  int64  // where mem begins in the file: at span.Start, or at the start of its block

	t       sched.Transfer
	started bool  // and not waited for
	done    bool  // n and err are final
	n       int   // bytes read into mem; fewer than all where the file ends, or with err
	err     error // never io.EOF
}

// bytes returns what was read from pos on, which lies in the span.
func (p *pendingRead) bytes(pos int64) []byte {
	end := min(p.off+int64(p.n), p.span.End)
	if !p.done || pos >= end {
		return nil
	}
	return p.mem[pos-p.off : end-p.off]
}

// readQueue is a queue of pendingReads, the oldest first.
type readQueue struct {
	file   *File
	memory memory
	// later: nothing is started ahead, and a read is made when it is waited for.
	later bool
	ring  []pendingRead
	first int
	count int
}

func newReadQueue(d *File, l layout, class *sched.Class) *readQueue {
	q := &readQueue{
		file: d, memory: memory{d.h.Sched.Buffers, l.run},
		// A single read may be a plain call. The scheduler decides that best.
		later: l.runs == 1 || d.h.Core == nil,
		ring:  make([]pendingRead, l.runs),
	}
	for i := range q.ring {
		q.ring[i].file, q.ring[i].t.Class = d, class
	}
	return q
}

// push starts a read into b, which it takes over. The caller uses the file.
func (q *readQueue) push(span readahead.Span, b buffer.Buffer) {
	f := &q.ring[(q.first+q.count)%len(q.ring)]
	q.count++
	f.buf = b
	f.span, f.off, f.done = span, span.Start, false
	end := span.End
	if g := q.file.direct; g != nil {
		f.off, end = g.Floor(span.Start), g.Ceil(span.End)
	}
	f.mem = f.buf.Bytes()[:end-f.off]
	if q.file.direct != nil {
		f.mem = q.file.direct.BeforeEnd(f.mem, f.off)
	}
	if len(f.mem) == 0 {
		f.n, f.err, f.done = 0, nil, true
	} else if !q.later {
		f.started = true
		core := q.file.h.Core
		q.file.h.Sched.Core.StartRead(&f.t, core, f.mem, f.off, f.buf.Reg())
	}
}

// oldest returns the oldest read, which may not be done; nil if there is none.
func (q *readQueue) oldest() *pendingRead {
	if q.count == 0 {
		return nil
	}
	return &q.ring[q.first]
}

// wait waits until f is done. The caller uses the file.
func (q *readQueue) wait(ctx context.Context, f *pendingRead) {
	if f.done {
		return
	}
	if f.started {
		f.started = false
		f.n, f.err = f.t.Wait(ctx)
		if q.file.direct != nil && directio.MustReadAgain(f.err) {
			f.n, f.err = q.file.direct.ReadBlocks(ctx, f.mem, f.off)
		}
	} else {
		f.n, f.err = q.file.fill(ctx, f.buf.Slice(0, len(f.mem)), f.off)
	}
	f.err = notEOF(f.err)
	f.done = true
}

// drop takes out the n oldest reads and releases their memory. Reads in progress are ended
// early.
func (q *readQueue) drop(n int) {
	for range n {
		f := &q.ring[q.first]
		q.first = (q.first + 1) % len(q.ring)
		q.count--
		if f.started {
			f.started = false
			_, _ = f.t.Wait(canceledContext) // the result is not wanted any more
		}
		f.buf.Release()
		f.buf, f.mem = buffer.Buffer{}, nil
	}
}

// release drops all reads.
func (q *readQueue) release() { q.drop(q.count) }
