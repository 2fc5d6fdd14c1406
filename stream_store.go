package sluice

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/rangelock"
	"github.com/sluiceio/sluice/internal/sched"
)

// store is a part of a file that is being written, or has been.
type store struct {
	file *DirectFile // for the garbage collector, see fetch
	buf  buffer.Buffer
	mem  []byte // the part of buf that is written
	off  int64  // where to

	t sched.Transfer
	// locked is what of the file is locked until t ends, as by WriteAt: nil
	// where the page cache is used. Not until it is waited for: a Writer may
	// be idle for long, and others would wait for it.
	locked *rangelock.Range

	// inTurn: it is written once the one before it has been.
	inTurn bool
	queued bool // it waits for that. Under stores.mu
}

// stores is a queue of them, the oldest first, and the memory of a stream.
type stores struct {
	file    *DirectFile
	memory  spares
	ring    []store
	first   int
	count   int
	filling buffer.Buffer // what the user fills
	// inside is up to where in the file writes can be made side by side. The
	// kernel makes those that extend it one after the other, whoever comes first,
	// and each waits with a thread; so does it with those through the page cache.
	inside int64
	// failed: a store has ended, and not all was written. Written by who ends
	// it.
	failed atomic.Bool

	mu   sync.Mutex
	turn bool // a store inTurn is in progress
}

func newStores(d *DirectFile, l layout, inside int64, class *sched.Class) *stores {
	q := &stores{
		file: d, memory: newSpares(d, l.run, l.runs+1), inside: inside,
		ring: make([]store, l.runs),
	}
	for i := range q.ring {
		s, next := &q.ring[i], &q.ring[(i+1)%len(q.ring)]
		s.file, s.t.Class = d, class
		s.t.Ended = func(all bool) { q.ended(s, next, all) }
	}
	return q
}

// ended is called when s has ended, by who has ended it.
func (q *stores) ended(s, next *store, all bool) {
	if !all {
		q.failed.Store(true)
	}
	if s.locked != nil {
		q.file.direct.inode.lock.Release(s.locked)
	}
	if !s.inTurn {
		return
	}
	q.mu.Lock()
	q.turn = next.queued
	next.queued = false
	goOn := q.turn
	q.mu.Unlock()
	if goOn {
		q.write(next)
	}
}

// write starts s. The file is used.
func (q *stores) write(s *store) {
	sched, core := q.file.file.sched.core, q.file.file.core
	if s.inTurn {
		sched.StartExtend(&s.t, core, s.mem, s.off)
	} else {
		sched.StartWrite(&s.t, core, s.mem, s.off, s.buf.Reg())
	}
}

// mayWrite tells whether s, if it is inTurn, is not to wait for the one before
// it, which starts it else.
func (q *stores) mayWrite(s *store) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.queued = s.inTurn && q.turn
	q.turn = q.turn || s.inTurn
	return !s.queued
}

// fill makes filling a Buffer. It waits for the oldest store if there are too
// many, or no other memory is to be had. The error is a store's, or that there
// is no memory.
func (q *stores) fill(ctx context.Context) error {
	for q.count > 0 && (q.count == len(q.ring) || !q.memory.provide()) {
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	if err := q.memory.await(ctx); err != nil {
		return err
	}
	q.filling = q.memory.take()
	return nil
}

// filled gives filling back.
func (q *stores) filled() {
	q.filling.Release()
	q.filling = buffer.Buffer{}
}

// start starts writing mem, a part of filling, at off. Unless there is an error
// filling is then something else's. Past the page cache mem is whole blocks.
func (q *stores) start(ctx context.Context, mem []byte, off int64) error {
	core := q.file.file.core
	if !core.Use() {
		return os.ErrClosed
	}
	defer core.Done()
	s := &q.ring[(q.first+q.count)%len(q.ring)]
	if d := q.file.direct; d != nil {
		r, err := d.inode.lock.Acquire(ctx, off, off+int64(len(mem)))
		if err != nil {
			return err
		}
		s.locked = r
	}
	q.count++
	s.buf, s.mem, s.off = q.filling, mem, off
	q.filling = buffer.Buffer{}
	s.inTurn = q.file.direct == nil || off+int64(len(mem)) > q.inside
	if q.mayWrite(s) {
		q.write(s)
	}
	return nil
}

// wait waits for the oldest store, which is not queued any more, and keeps its
// memory.
func (q *stores) wait(ctx context.Context) error {
	s := &q.ring[q.first]
	n, err := s.t.Wait(ctx)
	if q.file.direct != nil && errors.Is(err, errUnfit) {
		_, err = q.file.WriteAtContext(ctx, s.mem[n:], s.off+int64(n))
	}
	q.memory.put(s.buf)
	s.buf, s.mem, s.locked = buffer.Buffer{}, nil, nil
	q.first = (q.first + 1) % len(q.ring)
	q.count--
	return err
}

// drain waits for all and returns the first error.
func (q *stores) drain(ctx context.Context) (err error) {
	for q.count > 0 {
		if err1 := q.wait(ctx); err == nil {
			err = err1
		}
	}
	q.failed.Store(false)
	return err
}

// release ends all early and gives the memory back.
func (q *stores) release() {
	_ = q.drain(withdrawn) // has been reported, or nobody is left to hear it
	q.filled()
	q.memory.release()
}
