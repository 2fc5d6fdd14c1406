package sched

import (
	"context"
	"slices"
	"sync"

	"github.com/sluiceio/sluice/internal/budget"
)

// names bounds the calls with names. Which device a name leads to is not known before the call. So
// these calls have a Budget of their own, as if they were for one more device. An open may wait for the
// other end of a pipe, or for a server, and another Batch should not wait for that. So while all
// permits are taken, each Batch may make one call more; beside has the permits for that.
type names struct{ all, beside budget.Budget }

func (n *names) init(a *budget.All) {
	n.all.Init(a)
	n.beside.Init(a)
}

// Names returns how many calls with names are in progress, and how many goroutines wait for a permit.
func (s *Scheduler) Names() (calls, waiting int) {
	n := &s.names
	return int(n.all.InUse() + n.beside.InUse()), n.all.Waiting() + n.beside.Waiting()
}

// IsolatedContext is a context, that of a Batch, of which one call with a name may go on while calls of
// others have all permits. Only a pointer to it is a context.Context.
type IsolatedContext struct {
	context.Context

	mu      sync.Mutex
	beside  bool          // there is such a call. Under mu, as is waiting
	waiting []*nameWaiter // for a permit
}

// nameWaiter is a goroutine that waits for a permit, or for its turn to be the one call beside the others.
type nameWaiter struct {
	turn   context.CancelFunc // ends the wait
	permit budget.Permit      // what it has got with its turn; set before turn is called
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

// namePermit is a permit for a call with a name. By is the context whose call beside the others it is, or nil.
type namePermit struct {
	budget.Permit
	by *IsolatedContext
}

func (p namePermit) release() {
	if p.by != nil {
		p.by.passOn(p.Permit)
	} else {
		p.Release()
	}
}

// passOn gives p, the permit of the call beside the others, to the next that waits.
func (c *IsolatedContext) passOn(p budget.Permit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.beside = false
		p.Release()
		return
	}
	w := c.waiting[0]
	c.waiting = slices.Delete(c.waiting, 0, 1)
	w.permit = p
	w.turn()
}

// namePermit acquires a permit for a call of a kind. The error is ctx's.
func (s *Scheduler) namePermit(ctx context.Context, kind CallKind) (namePermit, error) {
	n := &s.names
	if p, ok := n.all.TryAcquire(kind); ok {
		return namePermit{p, nil}, nil
	}
	s.Ready() // which may widen the Budgets
	if c, ok := ctx.Value(isolationKey{}).(*IsolatedContext); ok {
		return n.acquireOr(ctx, c, kind)
	}
	p, err := n.all.Acquire(ctx, kind)
	return namePermit{p, nil}, err
}

// acquireOr acquires a permit of all, or that of c's call beside the others.
func (n *names) acquireOr(ctx context.Context, c *IsolatedContext, kind CallKind) (namePermit, error) {
	c.mu.Lock()
	if !c.beside {
		if p, ok := n.beside.TryAcquire(kind); ok {
			c.beside = true
			c.mu.Unlock()
			return namePermit{p, c}, nil
		}
	}
	w := new(nameWaiter)
	var wait context.Context
	wait, w.turn = context.WithCancel(ctx)
	defer w.turn()
	c.waiting = append(c.waiting, w)
	c.mu.Unlock()
	p, err := n.all.AcquireUntil(wait, kind, ctx.Done() != nil)
	switch had := !c.leave(w); {
	case had && err != nil && ctx.Err() == nil: // its turn has ended the wait
		return namePermit{w.permit, c}, nil
	case had: // it does not need its turn
		c.passOn(w.permit)
	}
	return namePermit{p, nil}, err
}

// leave takes w out of those that wait. It returns false if w has got its turn.
func (c *IsolatedContext) leave(w *nameWaiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.waiting, w)
	if i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
	return i >= 0
}
