package directio

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/rangelock"
	"github.com/sluiceio/sluice/internal/sched"
)

// pendingWrite is a write of a stream, in progress or done.
type pendingWrite struct {
	// owner keeps the file reachable during the write: an unreachable File may be closed.
	owner any
	next  *pendingWrite // the write that starts after this one
	buf   buffer.Buffer
	mem   []byte // the part of buf that is written
	off   int64  // its offset in the file

	t sched.Transfer
	// inOrder is set if the write must not start before the one before it has ended. The kernel
	// makes writes that extend the file one after the other, in any order, and each holds a thread.
	// It does the same with writes through the page cache.
	inOrder bool

	// WriteQueue.mu guards the rest.

	// locked is the locked range of the file until the write ends, as in WriteAt. It is nil if the
	// page cache is used. The range is released before Wait: a Writer may be idle for long, and
	// other writers would wait for it.
	locked *rangelock.Range
	// queued is set while the write is not started. The end of the write before starts it, unless a
	// write has failed. Then nothing starts it and it has no locked range; wait writes it or gives
	// it up.
	queued bool
}

// WriteQueue holds the writes of a stream, the oldest first. It has room for as many as there are
// buffers. One goroutine at a time may call its methods.
type WriteQueue struct {
	Memory  buffer.Source
	Filling buffer.Buffer // the Buffer that the user fills

	to      Stream
	writeAt func(ctx context.Context, b []byte, off int64) (int, error)
	writes  []pendingWrite // a circular buffer: first is the oldest, count their number
	first   int
	count   int

	mu                  sync.Mutex
	orderedWriteRunning bool // a write that is inOrder is in progress; later ones are queued
	// failed is set if a write has ended without writing all of its bytes. No other write starts
	// then: it could extend the file, with zeros in place of the missing bytes. It is set with mu
	// held. Drain resets it.
	failed atomic.Bool
}

// NewWriteQueue returns a queue without writes, with memory divided by l. writeAt writes the bytes
// that a transfer has not written, through the page cache if need be.
func NewWriteQueue(to Stream, writeAt func(ctx context.Context, b []byte, off int64) (int, error), l buffer.Layout) *WriteQueue {
	q := &WriteQueue{
		to: to, writeAt: writeAt, Memory: buffer.Source{Pool: to.File.Sched.Buffers, Size: l.Run},
		writes: make([]pendingWrite, l.Runs),
	}
	for i := range q.writes {
		s := &q.writes[i]
		s.owner, s.next = to.Owner, &q.writes[(i+1)%len(q.writes)]
		s.t.Class, s.t.Ends = to.Class, to.Ends
		s.t.Ended = func(complete bool) { q.ended(s, complete) }
	}
	return q
}

// ended is called in the goroutine that has ended s. It starts the next write if that one waits for
// s.
func (q *WriteQueue) ended(s *pendingWrite, complete bool) {
	q.mu.Lock()
	q.unlock(s)
	if !complete {
		q.failed.Store(true)
	}
	var next *pendingWrite
	if s.inOrder {
		next = q.takeNext(s)
	}
	q.mu.Unlock()
	if next != nil {
		q.write(next)
	}
}

// takeNext returns the write that may start now that s, which is inOrder, has ended, or nil if
// there is none. It must be called with mu held.
func (q *WriteQueue) takeNext(s *pendingWrite) *pendingWrite {
	next := s.next
	if next.queued && !q.failed.Load() {
		next.queued = false
		return next
	}
	q.orderedWriteRunning = false
	for ; next.queued; next = next.next {
		q.unlock(next)
	}
	return nil
}

// unlock unlocks the range of s. It must be called with mu held.
func (q *WriteQueue) unlock(s *pendingWrite) {
	if s.locked != nil {
		q.to.Direct.inode.lock.Release(s.locked)
		s.locked = nil
	}
}

// write starts s. The caller uses the file.
func (q *WriteQueue) write(s *pendingWrite) {
	q.to.File.Sched.Core.StartWrite(&s.t, q.to.File.IO, s.mem, s.off, s.buf.Reg(), s.inOrder)
}

// mayWrite reports whether s may start now. If it may not, it is queued. extends says that s makes
// the file longer.
func (q *WriteQueue) mayWrite(s *pendingWrite, extends bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.failed.Load():
		s.queued = true
		q.unlock(s)
	case q.orderedWriteRunning:
		s.queued, s.inOrder = true, true
	default:
		s.inOrder, q.orderedWriteRunning = extends, extends
	}
	return !s.queued
}

// Failed reports whether a write has failed since the last Drain.
func (q *WriteQueue) Failed() bool { return q.failed.Load() }

// Cap returns for how many writes there is room.
func (q *WriteQueue) Cap() int { return len(q.writes) }

// Fill sets Filling to a Buffer. It waits for the oldest write if the queue is full, or if there is
// no other memory. It returns a write's error, or that there is no memory.
func (q *WriteQueue) Fill(ctx context.Context) error {
	for q.count > 0 {
		if q.count < len(q.writes) {
			if b, ok := q.Memory.TryGet(); ok {
				q.Filling = b
				return nil
			}
		}
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	b, err := q.Memory.Get(ctx)
	q.Filling = b
	return err
}

// Filled releases Filling.
func (q *WriteQueue) Filled() {
	q.Filling.Release()
	q.Filling = buffer.Buffer{}
}

// Start starts a write of mem, a part of Filling, at off. With direct I/O mem must be whole blocks.
func (q *WriteQueue) Start(ctx context.Context, mem []byte, off int64) error {
	core := q.to.File.IO
	if !core.Use() {
		return os.ErrClosed
	}
	defer core.Done()
	s := &q.writes[(q.first+q.count)%len(q.writes)]
	extends, err := q.lock(ctx, s, off, off+int64(len(mem)))
	if err != nil {
		return err
	}
	q.count++
	s.buf, s.mem, s.off = q.Filling.Retain(), mem, off
	if q.mayWrite(s, extends) {
		q.write(s)
	}
	return nil
}

// lock locks the bytes from off to end for s, and reports whether s makes the file longer. It asks
// for the size each time: a Truncate may have made the file shorter, but cannot while the range is
// locked. If the page cache is used it locks nothing, and each write counts as one that extends the
// file.
func (q *WriteQueue) lock(ctx context.Context, s *pendingWrite, off, end int64) (extends bool, err error) {
	d := q.to.Direct
	if d == nil {
		return true, nil
	}
	r, err := d.inode.lock.Acquire(ctx, off, end)
	if err != nil {
		return false, err
	}
	size, err := handle.Size(q.to.File.OS)
	if err != nil {
		d.inode.lock.Release(r)
		return false, err
	}
	s.locked = r
	return end > size, nil
}

// wait waits for the oldest write, and releases its memory. If the kernel has refused the write for
// its alignment, wait makes it. It also makes a write that is still queued: the one before it has
// ended, so nothing else will start it.
func (q *WriteQueue) wait(ctx context.Context) error {
	s := &q.writes[q.first]
	var n int
	var err error
	again := q.unqueue(s)
	if !again {
		n, err = s.t.Wait(ctx)
		again = q.to.Direct != nil && errors.Is(err, ErrMisaligned)
	}
	if again {
		_, err = q.writeAt(ctx, s.mem[n:], s.off+int64(n))
	}
	s.buf.Release()
	s.buf, s.mem = buffer.Buffer{}, nil
	q.first = (q.first + 1) % len(q.writes)
	q.count--
	return err
}

// unqueue reports whether s was queued. It no longer is.
func (q *WriteQueue) unqueue(s *pendingWrite) (was bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was, s.queued = s.queued, false
	return was
}

// Settle makes sure that the next write is not behind a gap. It waits for all writes if one that
// extends the file is in progress, or if one has failed. It returns the first error.
func (q *WriteQueue) Settle(ctx context.Context) error {
	q.mu.Lock()
	settled := !q.orderedWriteRunning && !q.failed.Load()
	q.mu.Unlock()
	if settled {
		return nil
	}
	return q.Drain(ctx)
}

// Drain waits for all writes and returns the first error. It gives up the writes after a failed
// one, which would be behind a gap.
func (q *WriteQueue) Drain(ctx context.Context) (err error) {
	for q.count > 0 {
		if err1 := q.wait(ctx); err1 != nil && err == nil {
			err, ctx = err1, Canceled
		}
	}
	q.failed.Store(false)
	return err
}

// Release ends all writes early and releases the memory.
func (q *WriteQueue) Release() {
	_ = q.Drain(Canceled) // the error was reported, or nobody is left to see it
	q.Filled()
}
