package directio

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/readahead"
	"github.com/sluiceio/sluice/internal/sched"
)

// PendingRead is a read of a stream, in progress or done.
type PendingRead struct {
	// owner is for the garbage collector. The kernel's request needs only memory that is reachable
	// from here, even if the stream was dropped.
	owner any
	Span  readahead.Span // the wanted part
	buf   buffer.Buffer
	mem   []byte // the part of buf that is read into
	off   int64  // the offset of mem in the file: Span.Start, or the start of its block

	t       sched.Transfer
	started bool  // and its end was not noticed
	done    bool  // n and Err are final
	later   bool  // it is made in Wait
	n       int   // bytes read into mem; fewer than all at the end of the file, or with Err
	Err     error // never io.EOF
}

// Bytes returns the bytes from pos on, which lies in the Span. Before Wait it returns nil.
func (p *PendingRead) Bytes(pos int64) []byte {
	end := min(p.off+int64(p.n), p.Span.End)
	if !p.done || pos >= end {
		return nil
	}
	return p.mem[pos-p.off : end-p.off]
}

// Share returns the memory of the n bytes from pos on. The caller must release it.
func (p *PendingRead) Share(pos int64, n int) buffer.Buffer {
	at := int(pos - p.off)
	return p.buf.Retain().Slice(at, at+n)
}

// ReadQueue holds the reads of a stream, the oldest first. It has room for as many as there are
// buffers. One goroutine at a time may call its methods.
type ReadQueue struct {
	Ctx    context.Context // the stream's
	Memory buffer.Source
	// Later makes each read in Wait, and none ahead.
	Later bool

	from Stream
	fill func(ctx context.Context, b buffer.Buffer, off int64) (int, error)
	// set has the reads in progress. The goroutine that uses the stream notices their ends when it
	// waits for one; a leader would have to wake it for each. set is nil if Later is true.
	set   *sched.TransferSet
	ring  []PendingRead
	first int
	count int
}

// Stream is the file of a ReadQueue or a WriteQueue.
type Stream struct {
	// Owner must stay reachable while the kernel has a request.
	Owner any
	File  *handle.File
	// nil if the page cache is used
	Direct *File
	Class  *sched.Class
	Ends   bool // the stream's context can end
}

// NewReadQueue returns a queue without reads, with memory divided by l. fill reads into a buffer at
// an offset, up to the end of the file. The caller uses the file.
func NewReadQueue(ctx context.Context, from Stream, fill func(ctx context.Context, b buffer.Buffer, off int64) (int, error), l buffer.Layout) *ReadQueue {
	q := &ReadQueue{
		Ctx: ctx, from: from, fill: fill, Memory: buffer.Source{Pool: from.File.Sched.Buffers, Size: l.Run},
		// A single read may be a plain call. The scheduler decides that best.
		Later: l.Runs == 1 || from.File.IO == nil,
		ring:  make([]PendingRead, l.Runs),
	}
	if !q.Later {
		q.set = from.File.Sched.Core.NewTransferSet(ctx, from.File.IO)
	}
	for i := range q.ring {
		f := &q.ring[i]
		f.owner, f.t.Owner, f.t.Class = from.Owner, f, from.Class
	}
	return q
}

// Len returns the number of reads.
func (q *ReadQueue) Len() int { return q.count }

// Push starts a read into b, which it takes over. The caller uses the file.
func (q *ReadQueue) Push(span readahead.Span, b buffer.Buffer) {
	f := &q.ring[(q.first+q.count)%len(q.ring)]
	q.count++
	f.buf = b
	f.Span, f.off, f.n, f.Err, f.done = span, span.Start, 0, nil, false
	end := span.End
	f.later = q.Later
	d := q.from.Direct
	past := d != nil && end > d.LastEnd()
	switch {
	case past:
		f.off, f.later = d.Floor(span.Start), true
	case d != nil:
		f.off, end = d.Floor(span.Start), d.Ceil(span.End)
	}
	f.mem = f.buf.Bytes()[:end-f.off]
	if d != nil && !past {
		f.mem = d.BeforeEnd(f.mem, f.off)
	}
	switch {
	case len(f.mem) == 0:
		f.done = true
	case !f.later:
		q.set.StartRead(&f.t, q.from.File.IO, f.mem, f.off, f.buf.Reg())
		f.started = true
	}
}

// Oldest returns the oldest read, which may not be done, or nil if there is none.
func (q *ReadQueue) Oldest() *PendingRead {
	if q.count == 0 {
		return nil
	}
	return &q.ring[q.first]
}

// Wait waits until f is done. The caller uses the file.
func (q *ReadQueue) Wait(f *PendingRead) {
	if f.done {
		return
	}
	if f.later {
		f.n, f.Err = q.fill(q.Ctx, f.buf.Slice(0, len(f.mem)), f.off)
	} else if q.await(q.Ctx, f); q.from.Direct != nil && MustReadAgain(f.Err) {
		f.n, f.Err = q.from.Direct.ReadBlocks(q.Ctx, f.mem, f.off)
	}
	f.Err = NotEOF(f.Err)
	if f.Err != nil && q.from.Direct != nil {
		f.n = q.readBefore(f)
	}
	f.done = true
}

// readBefore reads the bytes of f before the first unreadable one, and returns their number. A
// failed direct read may have read none of them. It reads the first half of the range, and goes on
// in the second half, or within the first if that failed.
func (q *ReadQueue) readBefore(f *PendingRead) int {
	d := q.from.Direct
	n := int(d.Floor(int64(f.n)))
	for end := len(f.mem); end-n > d.block && q.Ctx.Err() == nil && !q.from.File.IO.Closing(); {
		half := n + int(d.Ceil(int64(end-n)/2))
		m, err := d.ReadBlocks(q.Ctx, f.mem[n:half], f.off+int64(n))
		switch {
		case err != nil:
			end = half
		case m < half-n: // the file ends there now
			return n + m
		default:
			n = half
		}
	}
	return max(n, f.n)
}

// await waits until f is not in progress. If ctx, which is the stream's or Canceled, ends first, f
// is withdrawn.
func (q *ReadQueue) await(ctx context.Context, f *PendingRead) {
	for f.started {
		t, err := q.set.Next(ctx)
		if err != nil {
			f.t.Withdraw()
			ctx = context.Background() // the device may still use the memory
			continue
		}
		ended := t.Owner.(*PendingRead)
		ended.started = false
		ended.n, ended.Err = t.Result(q.Ctx)
	}
}

// Submit hands the pushed reads to the device, unless it has them already.
func (q *ReadQueue) Submit() {
	if !q.Later {
		q.set.Submit()
	}
}

// Drop removes the n oldest reads and releases their memory. Reads in progress are ended early.
func (q *ReadQueue) Drop(n int) {
	for range n {
		f := &q.ring[q.first]
		q.first = (q.first + 1) % len(q.ring)
		q.count--
		q.await(Canceled, f) // nobody wants the result
		f.buf.Release()
		f.buf, f.mem = buffer.Buffer{}, nil
	}
}

// Release drops all reads.
func (q *ReadQueue) Release() { q.Drop(q.count) }

// Close drops all reads and ends the queue.
func (q *ReadQueue) Close() {
	q.Release()
	if !q.Later {
		q.set.Close()
	}
}

// Canceled is a context that has ended. With it a queue ends its operations early.
var Canceled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// NotEOF returns err, or nil if it is io.EOF.
func NotEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
