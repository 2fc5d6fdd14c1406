package direct

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/rangelock"
	"github.com/sluiceio/sluice/internal/sched"
)

// pendingWrite is a part of a file that is being written, or has been written.
type pendingWrite struct {
	file *File // keeps the file reachable while it is written: a File that nobody can reach may be closed
	buf  buffer.Buffer
	mem  []byte // the part of buf that is written
	off  int64  // where in the file

	t sched.Transfer
	// locked is the range of the file that is locked until t ends, as by WriteAt. It
	// is nil where the page cache is used. It is released before t is waited for: a
	// Writer may be idle for long, and other writers would wait for it.
	locked *rangelock.Range

	// inOrder: it must not start before the one before it has ended.
	inOrder bool
	queued  bool // it waits for that. Guarded by writeQueue.mu
}

// writeQueue is a queue of pendingWrites, the oldest first.
type writeQueue struct {
	file    *File
	memory  buffer.Source
	writes  []pendingWrite // a circular buffer: first is the oldest, count how many there are
	first   int
	count   int
	filling buffer.Buffer // the Buffer that the user fills
	// inside is up to where in the file writes can be made side by side. The kernel
	// makes writes that extend the file one after the other, in any order, and each
	// waits with a thread. It does the same with writes through the page cache.
	inside int64
	// failed: a write has ended, and not all was written. Set by the goroutine that
	// ends the write, reset by drain.
	failed atomic.Bool

	mu                  sync.Mutex
	orderedWriteRunning bool // a write that is inOrder is in progress
}

func newWriteQueue(d *File, l buffer.Layout, inside int64, class *sched.Class) *writeQueue {
	q := &writeQueue{
		file: d, memory: buffer.Source{Pool: d.h.Sched.Buffers, Size: l.Run}, inside: inside,
		writes: make([]pendingWrite, l.Runs),
	}
	for i := range q.writes {
		s, next := &q.writes[i], &q.writes[(i+1)%len(q.writes)]
		s.file, s.t.Class = d, class
		s.t.Ended = func(complete bool) { q.ended(s, next, complete) }
	}
	return q
}

// ended is called when s has ended, by the goroutine that has ended it. It starts next if
// that waits for s.
func (q *writeQueue) ended(s, next *pendingWrite, complete bool) {
	if !complete {
		q.failed.Store(true)
	}
	if s.locked != nil {
		q.file.direct.Unlock(s.locked)
	}
	if !s.inOrder {
		return
	}
	q.mu.Lock()
	q.orderedWriteRunning = next.queued
	next.queued = false
	goOn := q.orderedWriteRunning
	q.mu.Unlock()
	if goOn {
		q.write(next)
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

// mayWrite reports whether s may start now. If it may not, because a write that is
// inOrder is in progress, the end of the one before s starts it.
func (q *writeQueue) mayWrite(s *pendingWrite) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.queued = s.inOrder && q.orderedWriteRunning
	q.orderedWriteRunning = q.orderedWriteRunning || s.inOrder
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

// start starts writing mem, a part of filling, at off. If it succeeds the write has taken
// filling over. With direct I/O mem must be whole blocks.
func (q *writeQueue) start(ctx context.Context, mem []byte, off int64) error {
	core := q.file.h.Core
	if !core.Use() {
		return os.ErrClosed
	}
	defer core.Done()
	s := &q.writes[(q.first+q.count)%len(q.writes)]
	if d := q.file.direct; d != nil {
		r, err := d.Lock(ctx, off, off+int64(len(mem)))
		if err != nil {
			return err
		}
		s.locked = r
	}
	q.count++
	s.buf, s.mem, s.off = q.filling, mem, off
	q.filling = buffer.Buffer{}
	s.inOrder = q.file.direct == nil || off+int64(len(mem)) > q.inside
	if q.mayWrite(s) {
		q.write(s)
	}
	return nil
}

// wait waits for the oldest write, which is not queued any more, and releases its memory.
func (q *writeQueue) wait(ctx context.Context) error {
	s := &q.writes[q.first]
	n, err := s.t.Wait(ctx)
	if q.file.direct != nil && errors.Is(err, directio.ErrMisaligned) {
		_, err = q.file.WriteAtContext(ctx, s.mem[n:], s.off+int64(n))
	}
	s.buf.Release()
	s.buf, s.mem, s.locked = buffer.Buffer{}, nil, nil
	q.first = (q.first + 1) % len(q.writes)
	q.count--
	return err
}

// drain waits for all writes and returns the first error.
func (q *writeQueue) drain(ctx context.Context) (err error) {
	for q.count > 0 {
		if err1 := q.wait(ctx); err == nil {
			err = err1
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
