package buffer

import (
	"context"
	"maps"
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// Quotas divide a Pool between its users, so that a user that keeps its Buffers for long holds up
// no other user. A user is for example a class on a device.
//
// A user may hold as much as is free. So one user alone holds at most half of the limit, and two
// hold at most a third each. Some memory is always left for one more user. A user that holds
// nothing gets a Buffer at once, beyond the limit if need be. So a Get waits only while its own
// user holds a Buffer. The Gets of one user are served in the order in which they came.
type Quotas[U comparable] struct {
	pool *Pool

	// mu protects the fields below, and all quotas.
	mu      sync.Mutex
	quotas  map[U]*quota[U] // of the users that hold Buffers, and a few more
	held    int64           // the bytes that all users hold
	waiting int             // the number of Gets that wait
}

// maxQuotas is how many quotas there may be before those whose users hold nothing are forgotten.
const maxQuotas = 64

// quota is what one user holds.
type quota[U comparable] struct {
	of    *Quotas[U]
	held  int64                  // the bytes of its Buffers
	queue list.List[quotaWaiter] // its waiting Gets; empty while held is 0
}

// quotaWaiter is a Get that waits until its user may hold size bytes more.
type quotaWaiter struct {
	size  int64
	links list.Node[quotaWaiter] // in quota.queue. Protected by Quotas.mu
	ready chan struct{}          // closed when the bytes are counted in the quota
}

// Lease is a Buffer of Quotas. Release must be called exactly once, as it counts what the user
// holds. Retain and Slice must not be called: the count would not know of them.
type Lease[U comparable] struct {
	Buffer
	quota *quota[U]
}

// NewQuotas returns Quotas of a new Pool. The Pool has no memory until the first Get.
func NewQuotas[U comparable](o Options) *Quotas[U] {
	p := NewPool(o)
	p.exceeds = true
	return &Quotas[U]{pool: p, quotas: make(map[U]*quota[U])}
}

// Get returns a Buffer of n bytes for a user. If the user may not hold as much, Get waits until it
// may, or until ctx ends; then it returns ctx's error. A caller that already holds a Lease of the
// same user may wait forever, because only the caller can release that.
func (q *Quotas[U]) Get(ctx context.Context, user U, n int) (Lease[U], error) {
	own, err := q.reserve(ctx, user, int64(BlockSize(n)))
	if err != nil {
		return Lease[U]{}, err
	}
	b, err := q.pool.Get(ctx, n)
	if err != nil {
		own.giveBack(int64(BlockSize(n)))
		return Lease[U]{}, err
	}
	return Lease[U]{b, own}, nil
}

// Release gives the Buffer back.
func (l Lease[U]) Release() {
	l.Buffer.Release() // first: the memory is free when a waiting Get goes on
	l.quota.giveBack(int64(BlockSize(l.Len())))
}

// Close is Pool.Close. It must not be called while a Get waits: it would not end that.
func (q *Quotas[U]) Close() { q.pool.Close() }

// reserve counts size bytes more in the quota of a user, which it returns, once the user may hold
// them.
func (q *Quotas[U]) reserve(ctx context.Context, user U, size int64) (*quota[U], error) {
	q.mu.Lock()
	own := q.quotaOf(user)
	if own.queue.Len() == 0 && own.mayHold(size) {
		own.add(size)
		q.mu.Unlock()
		return own, nil
	}
	w := &quotaWaiter{size: size, ready: make(chan struct{})}
	own.queue.PushBack(&w.links, w)
	q.waiting++
	q.mu.Unlock()
	select {
	case <-w.ready:
		return own, nil
	case <-ctx.Done():
		return own, own.abandon(ctx, w)
	}
}

// quotaOf returns the quota of a user. It must be called with mu held.
func (q *Quotas[U]) quotaOf(user U) *quota[U] {
	own := q.quotas[user]
	if own == nil {
		if len(q.quotas) >= maxQuotas {
			maps.DeleteFunc(q.quotas, func(_ U, o *quota[U]) bool { return o.held == 0 })
		}
		own = &quota[U]{of: q}
		q.quotas[user] = own
	}
	return own
}

// abandon removes w from the queue, unless it was just served: then the error is nil. The next
// Get may want less than w, and is served.
func (o *quota[U]) abandon(ctx context.Context, w *quotaWaiter) error {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	if !o.queue.Has(&w.links) {
		return nil
	}
	o.remove(w)
	o.serve()
	return ctx.Err()
}

// mayHold reports whether the user may hold size bytes more. It must be called with mu held.
func (o *quota[U]) mayHold(size int64) bool {
	return o.held == 0 || o.held+size <= o.of.pool.Limit()-o.of.held
}

// add counts size bytes more as held, or fewer if size is negative. It must be called with mu held.
func (o *quota[U]) add(size int64) {
	o.held += size
	o.of.held += size
}

// remove removes w from the queue. It must be called with mu held.
func (o *quota[U]) remove(w *quotaWaiter) {
	o.queue.Remove(&w.links)
	o.of.waiting--
}

// serve lets waiting Gets of the user go on, in their order, while it may hold what they want. It
// must be called with mu held.
func (o *quota[U]) serve() {
	for w := o.queue.Front(); w != nil && o.mayHold(w.size); w = o.queue.Front() {
		o.remove(w)
		o.add(w.size)
		close(w.ready)
	}
}

// giveBack takes size bytes out of the quota. Then other users may hold more, too.
func (o *quota[U]) giveBack(size int64) {
	q := o.of
	q.mu.Lock()
	defer q.mu.Unlock()
	o.add(-size)
	if q.waiting > 0 {
		for _, other := range q.quotas {
			other.serve()
		}
	}
}
