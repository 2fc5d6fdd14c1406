package sched

import (
	"context"
	"math"
	"slices"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
)

// This file is about what a Batch does by plain calls: with names (open, stat, rename), and with
// files that no other operation knows of (batch/raw.go).

// NamedCall is a system call with a name, about to be made or in progress.
type NamedCall struct {
	s                *Scheduler
	asked, submitted int64 // for the record; 0 while nothing is recorded
	permit           namePermit
}

// BeginNamed begins a system call of a kind that may wait: it acquires a permit. If ctx ends first,
// it returns ctx's error and the call must not be made. The caller ends the call with End.
func (s *Scheduler) BeginNamed(ctx context.Context, kind CallKind) (NamedCall, error) {
	asked := s.paths.Recording.Now()
	p, err := s.namePermit(ctx, kind)
	return NamedCall{s, asked, s.paths.Recording.Now(), p}, err
}

// BeginOnFile is BeginNamed for a system call on f, which may be nil: the permit is f's device's.
func (s *Scheduler) BeginOnFile(ctx context.Context, kind CallKind, f *File) (NamedCall, error) {
	asked := s.paths.Recording.Now()
	p, err := s.paths.AcquirePermit(ctx, kind, f)
	return NamedCall{s, asked, s.paths.Recording.Now(), namePermit{p, nil}}, err
}

// BeginNamedWithoutPermit is BeginNamed for a call that does not wait.
func (s *Scheduler) BeginNamedWithoutPermit() NamedCall {
	now := s.paths.Recording.Now()
	return NamedCall{s: s, asked: now, submitted: now}
}

// End releases the permit, if the call has one, and counts and records the call. Kind is the
// record's (record.KindOpen …). Off and size say the range, if there is one.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	c.s.names.release(c.permit)
	c.s.paths.Counters.Add(counters.Plain, driver.Code(kind), 0)
	if c.asked == 0 {
		return
	}
	c.s.paths.Recording.Op(&record.Op{
		Queued: c.asked, Submitted: c.submitted, Completed: record.Now(), Off: off, Size: int(size), Res: iopath.ResultOf(err),
		Kind: kind, Path: record.PathPlain,
	}, new(record.FileRef), name, nil)
}

// RawFile is a descriptor that the caller alone uses, and its name for records.
type RawFile struct {
	FD   int
	Name string
}

// ReadRaw is ReadAt for a RawFile. A read that the page cache does not answer is a plain call, or
// may be queued if ctx can end.
func (s *Scheduler) ReadRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return s.transferRaw(ctx, driver.Read, o, b, off)
}

// WriteRaw is WriteAt for a RawFile. It makes plain calls.
func (s *Scheduler) WriteRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return s.transferRaw(ctx, driver.Write, o, b, off)
}

func (s *Scheduler) transferRaw(ctx context.Context, code driver.Code, o RawFile, b []byte, off int64) (n int, err error) {
	switch {
	case len(b) == 0:
		return 0, nil // as in os.File, which makes no call
	case off > math.MaxInt64-int64(len(b)):
		return 0, syscall.EINVAL // as from pread(2)
	}
	f := s.raws.Get(func() *ForeignFile { return new(ForeignFile) })
	defer s.raws.Put(f)
	f.SetAlone(o.FD, o.Name)
	again := func(b []byte, off int64) int32 {
		return s.transferWithTicket(ctx, code, &f.File, b, off, func(f *File, b []byte) int32 {
			return s.callRaw(ctx, code, f, b, off)
		})
	}
	return transferAll(ctx, code, b, off, again(b, off), again)
}

// callRaw makes one transfer of a RawFile. It first tries a quarter of the permits for calls with
// names, so that it need not ask for the device (docs/decisions/0004-budget.md). If none of them is
// free, the permit is the device's, or a read is queued, if that can be and ctx can end.
func (s *Scheduler) callRaw(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	n := &s.names.all
	if p, ok := n.TryAcquireBelow(iopath.KindOf(code), n.Limit()/4); ok {
		return s.paths.PlainCall(0, iopath.Plain{Permit: p}, code, f, f.FD, b, off)
	}
	if ctx.Done() != nil {
		return s.waitOrQueue(ctx, code, f, b, off, 0)
	}
	return s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), code, f, b, off)
}

// names bounds the calls of Batches with names (docs/decisions/0004-budget.md). While all permits
// are taken, each of mostBeside Batches may make one call more, unless Options.Threads bounds all
// threads.
type names struct {
	all budget.Budget

	mu sync.Mutex
	// beside is how many calls have no permit. mu guards it, waiting, and all IsolatedContexts.
	beside  int
	waiting []*nameWaiter // in the order of arrival
}

// mostBeside is as many as the fewest permits: with them, twice as many threads may wait.
const mostBeside = budget.Least

// MostNamed returns how many calls with names one Batch may have in progress: with all permits, and
// one beside them.
func (s *Scheduler) MostNamed() int { return int(s.names.all.Limit()) + 1 }

// Names returns how many calls with names are in progress, and how many wait for a permit.
func (s *Scheduler) Names() (calls, waiting int) {
	n := &s.names
	n.mu.Lock()
	defer n.mu.Unlock()
	return int(n.all.InUse()) + n.beside, n.all.Waiting()
}

// IsolatedContext is the context of a Batch. Only a pointer to it is a context.Context.
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

func (n *names) release(p namePermit) {
	if p.by != nil {
		n.endBeside(p.by)
	}
	p.Release()
}

// endBeside ends the call of c beside the permits. Then another goroutine of c that waits has its
// turn, or else the first goroutine whose context has no call beside the permits.
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
	if c, ok := ctx.Value(isolationKey{}).(*IsolatedContext); ok && s.paths.Threads == 0 {
		return n.acquireOr(ctx, c, kind)
	}
	p, err := n.all.Acquire(ctx, kind, false)
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
	p, err := n.all.Acquire(wait, kind, false)
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
