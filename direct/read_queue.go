package direct

import (
	"context"
	"os"

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
	started bool  // and its end was not noticed
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
	ctx    context.Context // the stream's
	file   *File
	memory buffer.Source
	// group has the reads in progress. The goroutine that uses the stream notices their ends
	// itself, when it waits for one. A leader goroutine would have to wake it for each. It is
	// nil if later is true.
	group *sched.Group
	// later: nothing is started ahead, and a read is made when it is waited for.
	later bool
	ring  []pendingRead
	first int
	count int
}

// newReadQueue returns a queue without reads, whose memory is divided as l says. The caller uses
// the file.
func newReadQueue(ctx context.Context, d *File, l buffer.Layout) *readQueue {
	q := &readQueue{
		ctx: ctx, file: d, memory: buffer.Source{Pool: d.h.Sched.Buffers, Size: l.Run},
		// A single read may be a plain call. The scheduler decides that best.
		later: l.Runs == 1 || d.h.Core == nil,
		ring:  make([]pendingRead, l.Runs),
	}
	if !q.later {
		q.group = d.h.Sched.Core.NewGroup(ctx, d.h.Core)
	}
	for i := range q.ring {
		f := &q.ring[i]
		f.file, f.t.Owner, f.t.Class = d, f, d.classIn(ctx)
	}
	return q
}

// push starts a read into b, which it takes over. The caller uses the file.
func (q *readQueue) push(span readahead.Span, b buffer.Buffer) {
	f := &q.ring[(q.first+q.count)%len(q.ring)]
	q.count++
	f.buf = b
	f.span, f.off, f.n, f.err, f.done = span, span.Start, 0, nil, false
	end := span.End
	if g := q.file.direct; g != nil {
		f.off, end = g.Floor(span.Start), g.Ceil(span.End)
	}
	f.mem = f.buf.Bytes()[:end-f.off]
	if q.file.direct != nil {
		f.mem = q.file.direct.BeforeEnd(f.mem, f.off)
	}
	switch {
	case len(f.mem) == 0:
		f.done = true
	case !q.later:
		f.started = q.group.StartRead(&f.t, q.file.h.Core, f.mem, f.off, f.buf.Reg())
		if !f.started {
			f.err, f.done = os.ErrClosed, true
		}
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
func (q *readQueue) wait(f *pendingRead) {
	if f.done {
		return
	}
	if q.later {
		f.n, f.err = q.file.fill(q.ctx, f.buf.Slice(0, len(f.mem)), f.off)
	} else if q.await(q.ctx, f); q.file.direct != nil && directio.MustReadAgain(f.err) {
		f.n, f.err = q.file.direct.ReadBlocks(q.ctx, f.mem, f.off)
	}
	f.err = notEOF(f.err)
	f.done = true
}

// await waits until f is not in progress. If ctx ends first, which is the stream's or
// canceledContext, f is withdrawn.
func (q *readQueue) await(ctx context.Context, f *pendingRead) {
	for f.started {
		t, err := q.group.Next(ctx)
		if err != nil {
			f.t.Withdraw()
			ctx = context.Background() // the device may still have the memory
			continue
		}
		ended := t.Owner.(*pendingRead)
		ended.started = false
		ended.n, ended.err = t.Result(q.ctx)
	}
}

// submit gives the device what was pushed, unless it has that already.
func (q *readQueue) submit() {
	if !q.later {
		q.group.Submit()
	}
}

// drop takes out the n oldest reads and releases their memory. Reads in progress are ended
// early.
func (q *readQueue) drop(n int) {
	for range n {
		f := &q.ring[q.first]
		q.first = (q.first + 1) % len(q.ring)
		q.count--
		q.await(canceledContext, f) // the result is not wanted any more
		f.buf.Release()
		f.buf, f.mem = buffer.Buffer{}, nil
	}
}

// release drops all reads.
func (q *readQueue) release() { q.drop(q.count) }

// close drops all reads and ends the queue.
func (q *readQueue) close() {
	q.release()
	if !q.later {
		q.group.Close()
	}
}
