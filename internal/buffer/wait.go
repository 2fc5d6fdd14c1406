package buffer

import (
	"context"
	"sync"
)

// waiter is a Get that waits.
type waiter struct {
	index, size int
	prev, next  *waiter
	queued      bool

	// ready holds a value when the waiter is out of the queue, with block or
	// err set.
	ready chan struct{}
	block *block
	err   error
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

// queue is those who wait, in the order in which they came.
type queue struct{ first, last *waiter }

// await returns a block for who has found none.
//
// A waiter raises waiting, then looks for free blocks. Who makes one free does
// so, then reads waiting. So one of them sees the other.
func (p *Pool) await(ctx context.Context, index, size int) (*block, error) {
	w := waiters.Get().(*waiter)
	w.index, w.size = index, size
	p.mu.Lock()
	if p.closed.Load() {
		p.mu.Unlock()
		waiters.Put(w)
		return nil, ErrClosed
	}
	p.push(w)
	p.serve()
	if w.queued {
		p.waits++
	}
	p.mu.Unlock()
	select {
	case <-w.ready:
	default:
		select {
		case <-w.ready:
		case <-ctx.Done():
			p.abandon(ctx, w)
		}
	}
	b, err := w.block, w.err
	w.block, w.err = nil, nil
	waiters.Put(w)
	return b, err
}

// serve gives those who wait what there is, the first one first. Under mu.
func (p *Pool) serve() {
	for w := p.queue.first; w != nil; w = p.queue.first {
		b, err := p.find(w.index, w.size)
		if b == nil && err == nil {
			return
		}
		p.finish(w, b, err)
	}
}

// abandon takes w out of the queue, unless it has just been served. The next
// one may want less than w did.
func (p *Pool) abandon(ctx context.Context, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.queued {
		p.finish(w, nil, ctx.Err())
		p.serve()
	}
	<-w.ready
}

// push appends w. Under mu.
func (p *Pool) push(w *waiter) {
	q := &p.queue
	w.queued, w.prev, w.next = true, q.last, nil
	if w.prev == nil {
		q.first = w
	} else {
		w.prev.next = w
	}
	q.last = w
	p.waiting.Add(1)
}

// finish takes w out and tells it the outcome. Under mu.
func (p *Pool) finish(w *waiter, b *block, err error) {
	q := &p.queue
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.queued, w.prev, w.next = false, nil, nil
	p.waiting.Add(-1)
	w.block, w.err = b, err
	w.ready <- struct{}{}
}
