package budget

import (
	"context"

	"github.com/sluiceio/sluice/internal/list"
)

// waiter is a goroutine that waits for a permit.
type waiter struct {
	// ready receives a value after the waiter has been taken out of the queue: there may be a
	// permit, for it or for a goroutine that is quicker.
	ready     chan struct{}
	wants     Permit
	arrived   uint64            // number in the order of arrival
	overtaken bool              // it was woken, and another goroutine was quicker
	links     list.Node[waiter] // in the queue of its kind
}

func newWaiter() *waiter { return &waiter{ready: make(chan struct{}, 1)} }

// queueOf returns the queue of the goroutines that want a permit like p. Calls whose contexts may
// end have separate queues, because they may have to wait while a permit is free for other calls.
// All.mu must be held, as for the functions whose names end in Locked.
func (p Permit) queueOf() *list.List[waiter] {
	if p.ends {
		return &p.b.queues[p.kind+Kinds]
	}
	return &p.b.queues[p.kind]
}

func (p Permit) wait(ctx context.Context) (Permit, error) {
	a := p.b.all
	w := a.unused.Get(newWaiter)
	w.wants = p
	defer func() {
		w.wants, w.overtaken = Permit{}, false
		a.unused.Put(w)
	}()
	for !a.enqueue(w) {
		select {
		case <-w.ready:
			if p.take(Most) {
				return p, nil
			}
			w.overtaken = true
		case <-ctx.Done():
			a.abandon(w)
			return Permit{}, ctx.Err()
		}
	}
	return p, nil
}

// enqueue puts w into its queue: at the end, or in front if w was overtaken. If its permit is
// free by now, enqueue takes that instead and returns true.
func (a *All) enqueue(w *waiter) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.countLocked(w.wants.b, 1)
	// The order matters: a permit that was released before countLocked is found free here, and a
	// goroutine that releases one later sees that somebody waits.
	if w.wants.takeLocked(Most) {
		a.countLocked(w.wants.b, -1)
		return true
	}
	if queue := w.wants.queueOf(); w.overtaken {
		queue.PushFront(&w.links, w)
	} else {
		a.arrivals++
		w.arrived = a.arrivals
		queue.PushBack(&w.links, w)
	}
	// A waiter that was woken and finds no permit may have been woken for another's.
	if w.overtaken {
		a.wakeOneLocked(w.wants.b, Permit{})
	}
	return false
}

// countLocked adds n to the goroutines that wait for b.
func (a *All) countLocked(b *Budget, n int32) {
	b.waiting.Add(n)
	switch now := b.waiting.Load(); {
	case n > 0 && now == 1:
		a.starved.PushBack(&b.links, b)
	case now == 0:
		a.starved.Remove(&b.links)
	}
}

// removeLocked takes w out of its queue and reports whether it was there.
func (a *All) removeLocked(w *waiter) bool {
	queue := w.wants.queueOf()
	if !queue.Has(&w.links) {
		return false
	}
	queue.Remove(&w.links)
	a.countLocked(w.wants.b, -1)
	return true
}

// firstLocked returns the waiter of b that has waited longest and for whose kind of call b has a
// permit, if p is taken. It returns nil if there is none.
func (b *Budget) firstLocked(p Permit) (first *waiter) {
	t, limit := taken(b.used.Load()), b.Limit()
	if p.b == b {
		t += p.unit()
	}
	for i := range b.queues {
		w := b.queues[i].Front()
		if w != nil && (first == nil || w.arrived < first.arrived) && t.allows(w.wants.kind, w.wants.ends, limit) {
			first = w
		}
	}
	return first
}

// oldestLocked is firstLocked for all waiters that can have the permit that giver gives back: the
// waiters of giver, or of all Budgets where these share a bound, or if giver is nil.
func (a *All) oldestLocked(giver *Budget, p Permit) (oldest *waiter) {
	if giver != nil && a.most == 0 {
		return giver.firstLocked(p)
	}
	for b := a.starved.Front(); b != nil; b = b.links.Next() {
		if w := b.firstLocked(p); w != nil && (oldest == nil || w.arrived < oldest.arrived) {
			oldest = w
		}
	}
	return oldest
}

// wakeLocked wakes the first waiter that can have the permit that giver has given back. If it was
// one for a call whose context may end, two waiters may go on, one for each of the two bounds.
func (a *All) wakeLocked(giver *Budget, ends bool) {
	if wants, ok := a.wakeOneLocked(giver, Permit{}); ok && ends {
		a.wakeOneLocked(giver, wants)
	}
}

// wakeOneLocked wakes the first waiter that can have the permit that giver has given back, if p is
// taken. It returns which permit the waiter wants. The waiter itself may be re-used by then.
func (a *All) wakeOneLocked(giver *Budget, p Permit) (wants Permit, ok bool) {
	if a.most > 0 && a.used >= a.most {
		return Permit{}, false
	}
	w := a.oldestLocked(giver, p)
	if w == nil {
		return Permit{}, false
	}
	wants = w.wants
	a.removeLocked(w)
	w.ready <- struct{}{}
	return wants, true
}

// wakeMore wakes all waiters for whose kinds of calls there is a permit: there may be several now.
func (a *All) wakeMore() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for more := true; more; {
		_, more = a.wakeOneLocked(nil, Permit{})
	}
}

// abandon takes w out of its queue, because its context has ended. If w has just been woken, the
// wake-up goes to the next waiter.
func (a *All) abandon(w *waiter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.removeLocked(w) {
		<-w.ready // it has been sent
		a.wakeLocked(w.wants.b, true)
	}
}
