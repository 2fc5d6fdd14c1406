package buffer

import (
	"context"

	"github.com/sluiceio/sluice/internal/list"
)

// waiter is a Get that waits.
type waiter struct {
	index, size int
	links       list.Node[waiter] // in Pool.queue. Guarded by Pool.mu

	// ready receives a value when the waiter has left the queue, and block or err is set.
	ready chan struct{}
	block *block
	err   error
}

func newWaiter() *waiter { return &waiter{ready: make(chan struct{}, 1)} }

// await returns a block for a Get that has found no free one.
//
// The waiting goroutine increments waiting, and then looks for free blocks. A goroutine that frees
// a block does so first, and then reads waiting. So one of them sees the other.
func (p *Pool) await(ctx context.Context, index, size int) (*block, error) {
	w := p.unused.Get(newWaiter)
	w.index, w.size = index, size
	p.mu.Lock()
	if p.closed.Load() {
		p.mu.Unlock()
		p.unused.Put(w)
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
	p.unused.Put(w)
	return b, err
}

// serve gives free blocks to waiting Gets, in their order. mu is held.
func (p *Pool) serve() {
	for w := p.queue.Front(); w != nil; w = p.queue.Front() {
		b, err := p.find(w.index, w.size)
		if b == nil && err == nil {
			return
		}
		p.finish(w, b, err)
	}
}

// abandon removes w from the queue, unless it was just served. The next Get may want less than w,
// and is served.
func (p *Pool) abandon(ctx context.Context, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queue.Has(&w.links) {
		p.finish(w, nil, ctx.Err())
		p.serve()
	}
	<-w.ready
}

// push appends w. mu is held.
func (p *Pool) push(w *waiter) {
	p.queue.PushBack(&w.links, w)
	p.waiting.Add(1)
}

// finish removes w from the queue and gives it a block or an error. mu is held.
func (p *Pool) finish(w *waiter, b *block, err error) {
	p.queue.Remove(&w.links)
	p.waiting.Add(-1)
	w.block, w.err = b, err
	w.ready <- struct{}{}
}
