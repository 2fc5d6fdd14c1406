package sched

import (
	"context"
	"slices"
	"sync"

	"github.com/sluiceio/sluice/internal/budget"
)

// names bounds the calls of Batches with names, and with files that the Batch alone knows. The
// device of a name is not known before the call. So these calls have a separate Budget, as if they
// were for one more device. An open may wait for the other end of a pipe, or for a server, and
// another Batch should not wait for that. So while all permits are taken, each of mostBeside
// Batches may make one call more.
type names struct {
	all budget.Budget

	mu sync.Mutex
	// beside is how many calls have no permit. mu guards it, waiting, and all IsolatedContexts.
	beside  int
	waiting []*nameWaiter // in the order of arrival
}

const mostBeside = 16

// Names returns how many calls with names are in progress, and how many wait for a permit.
func (s *Scheduler) Names() (calls, waiting int) {
	n := &s.names
	n.mu.Lock()
	defer n.mu.Unlock()
	return int(n.all.InUse()) + n.beside, n.all.Waiting()
}

// IsolatedContext is the context of a Batch. One call with a name of the Batch may go on while
// calls of other Batches have all permits. Only a pointer to it is a context.Context.
type IsolatedContext struct {
	context.Context

	beside bool // one call goes on beside the permits
}

// nameWaiter is a goroutine that waits for a permit, or for its turn beside the permits.
type nameWaiter struct {
	of   *IsolatedContext
	turn context.CancelFunc // ends the wait
	has  bool               // it has its turn
}

// isolationKey is the key under which a derived context finds its IsolatedContext.
type isolationKey struct{}

// Value returns the context's value for a key.
func (c *IsolatedContext) Value(key any) any {
	if key == (isolationKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// namePermit is a permit for a call with a name. By is nil, or the context that has one call beside
// the permits: then the namePermit is for that call.
type namePermit struct {
	budget.Permit
	by *IsolatedContext
}

// release gives a permit back.
func (n *names) release(p namePermit) {
	if p.by != nil {
		n.endBeside(p.by)
	}
	p.Release()
}

// endBeside ends the call of c beside the permits. Then another goroutine of c that waits has its
// turn, or else the first goroutine of a context without such a call.
func (n *names) endBeside(c *IsolatedContext) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c.beside = false
	n.beside--
	i := slices.IndexFunc(n.waiting, func(w *nameWaiter) bool { return w.of == c })
	if i < 0 {
		i = slices.IndexFunc(n.waiting, func(w *nameWaiter) bool { return !w.of.beside })
	}
	if i >= 0 {
		next := n.waiting[i]
		n.waiting = slices.Delete(n.waiting, i, i+1)
		next.of.beside, next.has = true, true
		n.beside++
		next.turn()
	}
}

// namePermit acquires a permit for a call of a kind. The error is ctx's. Whether ctx can end makes
// no difference: a call with a name can wait for anything in any case.
func (s *Scheduler) namePermit(ctx context.Context, kind CallKind) (namePermit, error) {
	n := &s.names
	if p, ok := n.all.TryAcquire(kind); ok {
		return namePermit{p, nil}, nil
	}
	s.Ready() // which may widen the Budgets
	if c, ok := ctx.Value(isolationKey{}).(*IsolatedContext); ok {
		return n.acquireOr(ctx, c, kind)
	}
	p, err := n.all.AcquireUntil(ctx, kind, false)
	return namePermit{p, nil}, err
}

// acquireOr acquires a permit, or c's call beside the permits.
func (n *names) acquireOr(ctx context.Context, c *IsolatedContext, kind CallKind) (namePermit, error) {
	n.mu.Lock()
	if !c.beside && n.beside < mostBeside {
		c.beside = true
		n.beside++
		n.mu.Unlock()
		return namePermit{by: c}, nil
	}
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &nameWaiter{of: c, turn: cancel}
	n.waiting = append(n.waiting, w)
	n.mu.Unlock()
	p, err := n.all.AcquireUntil(wait, kind, false)
	n.mu.Lock()
	n.waiting = slices.DeleteFunc(n.waiting, func(other *nameWaiter) bool { return other == w })
	n.mu.Unlock()
	switch {
	case !w.has:
		return namePermit{p, nil}, err
	case err != nil && ctx.Err() == nil:
		return namePermit{by: c}, nil
	case err != nil:
		err = ctx.Err()
	}
	n.endBeside(c) // the goroutine has a permit too, or its context has ended
	return namePermit{p, nil}, err
}
