package direct

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/rangelock"
	"github.com/sluiceio/sluice/internal/sched"
)

// pendingWrite is a part of a file that is being written, or has been written.
type pendingWrite struct {
	file *File         // keeps the file reachable while it is written: a File that nobody can reach may be closed
	next *pendingWrite // the write that is started after it
	buf  buffer.Buffer
	mem  []byte // the part of buf that is written
	off  int64  // where in the file

	t sched.Transfer
	// inOrder: it must not start before the one before it has ended. The kernel makes
	// writes that extend the file one after the other, in any order, and each waits with
	// a thread. It does the same with writes through the page cache.
	inOrder bool

	// The rest is guarded by writeQueue.mu.

	// locked is the range of the file that is locked until t ends, as by WriteAt. It
	// is nil where the page cache is used. It is released before t is waited for: a
	// Writer may be idle for long, and other writers would wait for it.
	locked *rangelock.Range
	// queued: t is not started. The end of the write before it starts it, unless a write
	// has failed. Then nothing starts it and no range is locked for it, and wait writes it
	// or gives it up.
	queued bool
}

// writeQueue is a queue of pendingWrites, the oldest first.
type writeQueue struct {
	file    *File
	memory  buffer.Source
	writes  []pendingWrite // a circular buffer: first is the oldest, count how many there are
	first   int
	count   int
	filling buffer.Buffer // the Buffer that the user fills

	mu                  sync.Mutex
	orderedWriteRunning bool // a write that is inOrder is in progress; those after it are queued
	// failed: a write has ended, and not all was written. No other write is started then:
	// it could make the file longer, with zeros in place of what is missing. It is set with
	// mu held, and reset by drain.
	failed atomic.Bool
}

func newWriteQueue(d *File, l buffer.Layout, class *sched.Class) *writeQueue {
	q := &writeQueue{
		file: d, memory: buffer.Source{Pool: d.h.Sched.Buffers, Size: l.Run},
		writes: make([]pendingWrite, l.Runs),
	}
	for i := range q.writes {
		s := &q.writes[i]
		s.file, s.next, s.t.Class = d, &q.writes[(i+1)%len(q.writes)], class
		s.t.Ended = func(complete bool) { q.ended(s, complete) }
	}
	return q
}

// ended is called when s has ended, by the goroutine that has ended it. It starts the next
// write if that one waits for s.
func (q *writeQueue) ended(s *pendingWrite, complete bool) {
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

// takeNext returns the write that may start now that s, which is inOrder, has ended. It
// returns nil if there is none. It must be called with mu held.
func (q *writeQueue) takeNext(s *pendingWrite) *pendingWrite {
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
func (q *writeQueue) unlock(s *pendingWrite) {
	if s.locked != nil {
		q.file.direct.Unlock(s.locked)
		s.locked = nil
	}
}

// write starts s. The caller uses the file.
func (q *writeQueue) write(s *pendingWrite) {
	sched, core := q.file.h.Sched.Core, q.file.h.Core
	if s.inOrder {
		sched.StartExtend(&s.t, core, s.mem, s.off)
	} else {
		sched.StartWrite(&s.t, core, s.mem, s.off, s.buf.Reg())
	}
}

// mayWrite reports whether s may start now. If it may not, s is queued. Extends says that s makes
// the file longer.
func (q *writeQueue) mayWrite(s *pendingWrite, extends bool) bool {
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

// fill sets filling to a Buffer. It waits for the oldest write if there are too many, or
// if there is no other memory. The error is that of a write, or says that there is no
// memory.
func (q *writeQueue) fill(ctx context.Context) error {
	for q.count > 0 {
		if q.count < len(q.writes) {
			if b, ok := q.memory.TryGet(); ok {
				q.filling = b
				return nil
			}
		}
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	b, err := q.memory.Get(ctx)
	q.filling = b
	return err
}

// filled gives filling back.
func (q *writeQueue) filled() {
	q.filling.Release()
	q.filling = buffer.Buffer{}
}

// start starts writing mem, a part of filling, at off. With direct I/O mem must be whole
// blocks.
func (q *writeQueue) start(ctx context.Context, mem []byte, off int64) error {
	core := q.file.h.Core
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
	s.buf, s.mem, s.off = q.filling.Retain(), mem, off
	if q.mayWrite(s, extends) {
		q.write(s)
	}
	return nil
}

// lock locks the bytes from off to end for s, and reports whether s makes the file longer. The
// size is asked for each time: a Truncate may have made the file shorter. It cannot do so
// while the range is locked. Where the page cache is used nothing is locked, and each write
// counts as one that makes the file longer.
func (q *writeQueue) lock(ctx context.Context, s *pendingWrite, off, end int64) (extends bool, err error) {
	d := q.file.direct
	if d == nil {
		return true, nil
	}
	r, err := d.Lock(ctx, off, end)
	if err != nil {
		return false, err
	}
	size, err := handle.Size(q.file.h.OS)
	if err != nil {
		d.Unlock(r)
		return false, err
	}
	s.locked = r
	return end > size, nil
}

// wait waits for the oldest write, and releases its memory. It writes what the kernel has refused
// for its alignment, and a write that is still queued: the one before it has ended, so nothing
// else will start it.
func (q *writeQueue) wait(ctx context.Context) error {
	s := &q.writes[q.first]
	var n int
	var err error
	again := q.unqueue(s)
	if !again {
		n, err = s.t.Wait(ctx)
		again = q.file.direct != nil && errors.Is(err, directio.ErrMisaligned)
	}
	if again {
		_, err = q.file.WriteAtContext(ctx, s.mem[n:], s.off+int64(n))
	}
	s.buf.Release()
	s.buf, s.mem = buffer.Buffer{}, nil
	q.first = (q.first + 1) % len(q.writes)
	q.count--
	return err
}

// unqueue reports whether s was queued. It no longer is.
func (q *writeQueue) unqueue(s *pendingWrite) (was bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was, s.queued = s.queued, false
	return was
}

// settle makes sure that what is written next is not behind a gap: it waits for all writes if one
// that makes the file longer is in progress, or if one has failed. It returns the first error.
func (q *writeQueue) settle(ctx context.Context) error {
	q.mu.Lock()
	settled := !q.orderedWriteRunning && !q.failed.Load()
	q.mu.Unlock()
	if settled {
		return nil
	}
	return q.drain(ctx)
}

// drain waits for all writes and returns the first error. It gives up the writes after that
// one, which would be behind a gap.
func (q *writeQueue) drain(ctx context.Context) (err error) {
	for q.count > 0 {
		if err1 := q.wait(ctx); err1 != nil && err == nil {
			err, ctx = err1, directio.Canceled
		}
	}
	q.failed.Store(false)
	return err
}

// release ends all writes early and gives the memory back.
func (q *writeQueue) release() {
	_ = q.drain(directio.Canceled) // the error was reported, or nobody is left to see it
	q.filled()
}
