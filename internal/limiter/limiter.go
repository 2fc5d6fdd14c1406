// Package limiter bounds how many threads of the process wait in system calls.
//
//	p, err := l.Acquire(ctx, device, limiter.Reads)
//	if err != nil {
//		return err // ctx has ended
//	}
//	n, err := unix.Pread(fd, b, off) // the thread may wait here
//	l.Release(p)
//
// A Limiter has a number of permits, which comes from sluice.Options.BlockingThreads. A call to a
// device that does not answer keeps its permit. So that such calls do not hold up the calls to
// other devices, nor calls of another kind to the same one, some permits are reserved for calls of one kind
// to one device each (quota.go). A call whose caller has a deadline also passes a window of its device
// (window.go): of such calls only few are in the kernel when the device stops answering.
//
// # Concurrency
//
// All methods may be called at the same time, except Init.
package limiter

import (
	"context"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/probe"
	"github.com/sluiceio/sluice/internal/spare"
)

// Limiter bounds how many goroutines make calls that wait, at a time. A goroutine acquires a
// permit before its call and releases it afterwards. While permits are free, that costs two
// atomic read-modify-write operations.
//
// A goroutine that arrives while a permit is free takes it, even if others wait. Handing
// each permit to the next waiter in the queue would cost a switch of goroutines for every
// call (a lock convoy). A waiter that has been overtaken maxOvertaken times is handed the
// next permit, so that none starves: docs/decisions/0004-limiter.md.
type Limiter struct {
	// The number of permits is base + added: Init sets base, Widen adds. Up to onTop quotas have
	// permits beyond that number.
	base  int32
	added atomic.Int32
	onTop int32
	// A probe.X is the X of sync or sync/atomic. With the build tag sluice_probes, a test decides in
	// which order goroutines access such fields.
	inQuotas probe.Int32 // permits that are in quotas, without those on top. Written under mu
	used     probe.Int32 // shared permits that are taken
	queued   probe.Int32 // the length of queue, readable without mu. Written under mu
	mu       probe.Mutex
	queue    list.List[waiter] // all waiters. Under mu
	quotas   []*deviceQuota    // under mu
	ofLimit  int32             // how many of quotas come out of the limit. Under mu
	// unassigned is the waiters of queue that have no quota, because all quotas are in use.
	// Under mu.
	unassigned list.List[waiter]

	beyond atomic.Int32 // permits that TryAcquireBeyond has given

	unused spare.Pool[waiter]
}

// Init sets the number of permits, and how many quotas there may be on top of it (QuotasOnTop,
// or none). It must be called before all other methods but InUse and Waiting, or when no permit
// is taken.
func (l *Limiter) Init(limit, onTop int) {
	l.mu.Lock()
	l.base, l.onTop, l.quotas, l.ofLimit = int32(limit), int32(onTop), nil, 0
	l.inQuotas.Store(0)
	l.mu.Unlock()
	l.AddQuotas(1)
}

// Permit allows one call. It records which quota and which window it was taken from. The
// zero value is a shared permit.
type Permit struct {
	quota  *deviceQuota // nil for a shared permit
	window *window      // in which the call counts; nil if in none
}

// waiter is a goroutine that waits for a permit.
type waiter struct {
	// ready receives a value after the waiter has been taken out of the queue.
	ready     chan wakeup
	overtaken int
	device    uint64
	kind      Kind
	links     list.Node[waiter] // in Limiter.queue
	// quota is the quota of the waiter's device and kind, or nil if there is none. The
	// quotaLinks are in quota.queue, or in Limiter.unassigned. Under Limiter.mu.
	quota      *deviceQuota
	quotaLinks list.Node[waiter]
}

// wakeup is the message to a waiter. If handed is true, the waiter has been handed a permit.
// Otherwise a permit is free, for the waiter or for a goroutine that is quicker. quota says
// of which quota the permit is; nil is a shared permit.
type wakeup struct {
	handed bool
	quota  *deviceQuota
}

func newWaiter() *waiter { return &waiter{ready: make(chan wakeup, 1)} }

// Limit returns the number of permits.
func (l *Limiter) Limit() int32 { return l.base + l.added.Load() }

// SharedLimit returns the number of shared permits.
func (l *Limiter) SharedLimit() int32 { return l.Limit() - l.inQuotas.Load() }

// Full reports whether no shared permit is free.
func (l *Limiter) Full() bool { return l.used.Load() >= l.SharedLimit() }

// Widen raises the number of permits to limit. If it is that large already, nothing happens.
func (l *Limiter) Widen(limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if int32(limit) <= l.Limit() {
		return
	}
	// The quotas first: TryAcquire reads both without mu, and must not take what becomes theirs.
	l.widenQuotas(int32(limit))
	l.added.Store(int32(limit) - l.base)
	for free := l.SharedLimit() - l.used.Load(); free > 0 && l.notify(l.queue.Front(), wakeup{}); free-- {
	}
}

// TryAcquire takes a shared permit, which is the zero Permit, if one is free.
func (l *Limiter) TryAcquire() bool { return l.TryAcquireBelow(l.SharedLimit()) }

// TryAcquireBelow takes a shared permit if one is free and fewer than most are taken.
func (l *Limiter) TryAcquireBelow(most int32) bool {
	most = min(most, l.SharedLimit())
	for {
		n := l.used.Load()
		if n >= most {
			return false
		}
		if l.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// beyondLimit stands, in a Permit, for one that TryAcquireBeyond has given. It is no quota.
var beyondLimit deviceQuota

// TryAcquireBeyond takes a permit beyond the limit, if fewer than most such permits are taken.
func (l *Limiter) TryAcquireBeyond(most int32) (Permit, bool) {
	for {
		n := l.beyond.Load()
		if n >= most {
			return Permit{}, false
		}
		if l.beyond.CompareAndSwap(n, n+1) {
			return Permit{quota: &beyondLimit}, true
		}
	}
}

// Acquire takes a permit for a call of a kind to a device, or to NoDevice. If none is free it waits
// for one. If ctx ends first, it returns ctx's error.
func (l *Limiter) Acquire(ctx context.Context, device uint64, kind Kind) (Permit, error) {
	if l.TryAcquire() {
		return Permit{}, nil
	}
	w := l.unused.Get(newWaiter)
	w.device, w.kind = device, kind
	q, err := l.wait(ctx, w)
	w.overtaken, w.quota = 0, nil
	l.unused.Put(w)
	return Permit{quota: q}, err
}

// wait returns the quota of which w has got a permit.
func (l *Limiter) wait(ctx context.Context, w *waiter) (*deviceQuota, error) {
	for {
		if q, ok := l.enqueue(w); ok {
			return q, nil
		}
		select {
		case c := <-w.ready:
			if c.handed || l.reacquire(w, c.quota) {
				return c.quota, nil
			}
			w.overtaken++
		case <-ctx.Done():
			l.abandon(w)
			return nil, ctx.Err()
		}
	}
}

// reacquire takes the free permit of q that w has been woken for, unless it is taken again.
func (l *Limiter) reacquire(w *waiter, q *deviceQuota) bool {
	if q == nil {
		return l.TryAcquire()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.isFor(w.device, w.kind) && q.tryAcquire() // the quota may have gone to others
}

// enqueue puts w into the queue: at the end, or in front if w has waited before. If a permit
// is free by now, enqueue takes that instead and returns its quota and true.
func (l *Limiter) enqueue(w *waiter) (*deviceQuota, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queued.Add(1)
	// After Add: a shared permit that was released before is found free here, and a
	// goroutine that releases one later sees that w is in the queue.
	if l.TryAcquire() {
		l.queued.Add(-1)
		return nil, true
	}
	// After TryAcquire: a quota that w is given is in use from now on. An unused
	// one would have to be offered to the waiters without a quota.
	w.quota = l.quotaOf(w.device, w.kind)
	if w.quota.tryAcquire() {
		l.queued.Add(-1)
		return w.quota, true
	}
	l.push(w)
	return nil, false
}

// Release gives a permit back after its call.
func (l *Limiter) Release(p Permit) {
	switch {
	case p.quota == &beyondLimit:
		l.beyond.Add(-1)
	case p.quota != nil:
		l.releaseToQuota(p.quota)
	case l.queued.Load() > 0 && l.handToFirst():
	default:
		if l.used.Add(-1); l.queued.Load() > 0 {
			l.wakeFirst()
		}
	}
	if p.window != nil {
		p.window.leave(true)
	}
}

// handToFirst hands the caller's shared permit to the first waiter, if that has been
// overtaken maxOvertaken times. It reports whether it did.
func (l *Limiter) handToFirst() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notify(l.queue.Front(), wakeup{handed: true})
}

// wakeFirst wakes the first waiter if a shared permit is free.
func (l *Limiter) wakeFirst() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.Full() {
		l.notify(l.queue.Front(), wakeup{})
	}
}

// notify takes w out of the queue and sends it c. It does nothing, and returns false, if w
// is nil, or if c hands over a permit and w has not been overtaken maxOvertaken times. It
// must be called with mu held.
func (l *Limiter) notify(w *waiter, c wakeup) bool {
	if w == nil || c.handed && w.overtaken < maxOvertaken {
		return false
	}
	l.remove(w)
	w.ready <- c
	return true
}

// abandon takes w out of the queue, because its context has ended. If w has just been
// handed a permit or woken, the permit or the wake-up goes to the next waiter.
func (l *Limiter) abandon(w *waiter) {
	l.mu.Lock()
	inQueue := l.remove(w)
	l.mu.Unlock()
	if inQueue {
		return
	}
	switch c := <-w.ready; {
	case c.handed:
		l.Release(Permit{quota: c.quota})
	case c.quota != nil:
		l.wakeFirstOfQuota(c.quota)
	default:
		l.wakeFirst()
	}
}

// push adds w to the queue: at the end, or in front if w has been overtaken. The caller has
// counted w in queued. It must be called with mu held.
func (l *Limiter) push(w *waiter) {
	if w.overtaken > 0 {
		l.queue.PushFront(&w.links, w)
		l.listOf(w).PushFront(&w.quotaLinks, w)
	} else {
		l.queue.PushBack(&w.links, w)
		l.listOf(w).PushBack(&w.quotaLinks, w)
	}
}

// listOf returns the second list that w waits in, beside Limiter.queue. It must be called
// with mu held.
func (l *Limiter) listOf(w *waiter) *list.List[waiter] {
	if w.quota == nil {
		return &l.unassigned
	}
	return &w.quota.queue
}

// remove takes w out of the queue and reports whether it was there. It must be called with
// mu held.
func (l *Limiter) remove(w *waiter) bool {
	if !l.queue.Has(&w.links) {
		return false
	}
	l.queue.Remove(&w.links)
	l.listOf(w).Remove(&w.quotaLinks)
	l.queued.Add(-1)
	return true
}

// SharedInUse returns the number of shared permits that are taken.
func (l *Limiter) SharedInUse() int32 { return l.used.Load() }

// InUse returns the number of permits that are taken, those of quotas and beyond the limit included.
func (l *Limiter) InUse() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.used.Load() + l.beyond.Load()
	for _, q := range l.quotas {
		n += q.used
	}
	return int(n)
}

// Waiting returns the number of goroutines that wait for a permit.
func (l *Limiter) Waiting() int { return int(l.queued.Load()) }
