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
// hold at most a third each: some memory is always left for one more user. A user that holds
// nothing gets a Buffer at once, beyond the limit if need be. So a Get waits only while its user
// holds a Buffer. The Gets of one user are served in their order.
type Quotas[U comparable] struct {
	pool *Pool

	// mu guards the fields below, and all quotas.
	mu      sync.Mutex
	quotas  map[U]*quota[U] // of the users that hold Buffers, and of some idle ones
	held    int64           // the bytes that all users hold
	waiting int             // how many Gets wait
}

// maxQuotas bounds the quotas: above it the quotas of idle users are deleted.
const maxQuotas = 64

// quota is the share of one user.
type quota[U comparable] struct {
	of    *Quotas[U]
	held  int64                  // the bytes of its Buffers
	queue list.List[quotaWaiter] // its waiting Gets; empty while held is 0
}

// quotaWaiter is a Get that waits until its user may hold size bytes more.
type quotaWaiter struct {
	size  int64
	links list.Node[quotaWaiter] // in quota.queue. Guarded by Quotas.mu
	ready chan struct{}          // closed when the bytes are counted in the quota
}

// Lease is a Buffer of Quotas. Release must be called exactly once, because it counts. Retain and
// Slice must not be called: they do not count.
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

// Get returns a Buffer of n bytes for a user. It waits until the user may hold that much, or until
// ctx ends, and then returns ctx's error. A caller with a Lease of the same user may wait for ever,
// because only the caller can release it.
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

// Release ends the Lease.
func (l Lease[U]) Release() {
	l.Buffer.Release() // first: the memory is free when a waiting Get goes on
	l.quota.giveBack(int64(BlockSize(l.Len())))
}

// Close is Pool.Close. It must not be called while a Get waits: it would not end the wait.
func (q *Quotas[U]) Close() { q.pool.Close() }

// reserve waits until the user may hold size bytes more, counts them, and returns the user's quota.
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

// abandon removes w from the queue, unless it was just served: then the error is nil. The next Get
// may want less than w, and is served.
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

// add adds size, which may be negative, to the bytes held. It must be called with mu held.
func (o *quota[U]) add(size int64) {
	o.held += size
	o.of.held += size
}

// remove removes w from the queue. It must be called with mu held.
func (o *quota[U]) remove(w *quotaWaiter) {
	o.queue.Remove(&w.links)
	o.of.waiting--
}

// serve lets the user's waiting Gets go on, in their order, while it may hold their bytes. It must
// be called with mu held.
func (o *quota[U]) serve() {
	for w := o.queue.Front(); w != nil && o.mayHold(w.size); w = o.queue.Front() {
		o.remove(w)
		o.add(w.size)
		close(w.ready)
	}
}

// giveBack takes size bytes out of the quota. Then all users may hold more.
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
