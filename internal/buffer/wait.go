package buffer

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// waiter is a Get that waits.
type waiter struct {
	index, size int
	links       list.Node[waiter] // in Pool.queue. Under Pool.mu

	// ready holds a value when the waiter is out of the queue, with block or
	// err set.
	ready chan struct{}
	block *block
	err   error
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

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
	if p.queue.Has(&w.links) {
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
	for w := p.queue.Front(); w != nil; w = p.queue.Front() {
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
	if p.queue.Has(&w.links) {
		p.finish(w, nil, ctx.Err())
		p.serve()
	}
	<-w.ready
}

// push appends w. Under mu.
func (p *Pool) push(w *waiter) {
	p.queue.PushBack(&w.links, w)
	p.waiting.Add(1)
}

// finish takes w out and tells it the outcome. Under mu.
func (p *Pool) finish(w *waiter, b *block, err error) {
	p.queue.Remove(&w.links)
	p.waiting.Add(-1)
	w.block, w.err = b, err
	w.ready <- struct{}{}
}
