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
	permit           budget.Permit
	beside           *IsolatedContext // the Batch whose call beside the permits this is; or nil
}

// BeginNamed begins a system call of a kind that may wait: it acquires a permit, or makes the call
// beside the permits if ctx is an *IsolatedContext. If ctx ends first, it returns ctx's error and
// the call must not be made. The caller ends the call with End.
func (s *Scheduler) BeginNamed(ctx context.Context, kind CallKind) (c NamedCall, err error) {
	c = NamedCall{s: s, asked: s.paths.Recording.Now()}
	n := &s.names
	var ok bool
	if c.permit, ok = n.all.TryAcquire(kind); !ok {
		s.Ready() // which may widen the Budgets
		if batch, ok := ctx.(*IsolatedContext); ok && s.paths.Threads == 0 {
			c.permit, c.beside, err = n.acquireOr(batch, kind)
		} else {
			c.permit, err = n.all.Acquire(ctx, kind, false) // see acquireOr
		}
	}
	c.submitted = s.paths.Recording.Now()
	return c, err
}

// BeginOnFile is BeginNamed for a system call on f, which may be nil: the permit is f's device's.
func (s *Scheduler) BeginOnFile(ctx context.Context, kind CallKind, f *File) (NamedCall, error) {
	asked := s.paths.Recording.Now()
	p, err := s.paths.AcquirePermit(ctx, kind, f)
	return NamedCall{s: s, asked: asked, submitted: s.paths.Recording.Now(), permit: p}, err
}

// BeginNamedWithoutPermit is BeginNamed for a call that does not wait.
func (s *Scheduler) BeginNamedWithoutPermit() NamedCall {
	now := s.paths.Recording.Now()
	return NamedCall{s: s, asked: now, submitted: now}
}

// End releases the permit, if the call has one, and counts and records the call. Kind is the
// record's (record.KindOpen …). Off and size say the range, if there is one.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	if c.beside != nil {
		c.s.names.endBeside(c.beside)
	}
	c.permit.Release()
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
		return s.paths.PlainCall(0, iopath.Plain{Permit: p}, code, f, b, off)
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

// IsolatedContext is the context of a Batch, for BeginNamed.
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

// acquireOr acquires a permit, or c's call beside the permits: then it returns c as beside. Whether
// c can end makes no difference to the Budget: a call with a name can wait for anything anyway.
func (n *names) acquireOr(c *IsolatedContext, kind CallKind) (p budget.Permit, beside *IsolatedContext, err error) {
	n.mu.Lock()
	if !c.beside && n.beside < mostBeside {
		c.beside = true
		n.beside++
		n.mu.Unlock()
		return p, c, nil
	}
	wait, cancel := context.WithCancel(c)
	defer cancel()
	w := &nameWaiter{of: c, turn: cancel}
	n.waiting = append(n.waiting, w)
	n.mu.Unlock()
	p, err = n.all.Acquire(wait, kind, false)
	n.mu.Lock()
	n.waiting = slices.DeleteFunc(n.waiting, func(other *nameWaiter) bool { return other == w })
	n.mu.Unlock()
	switch {
	case !w.has:
		return p, nil, err
	case err != nil && c.Err() == nil:
		return budget.Permit{}, c, nil
	case err != nil:
		err = c.Err()
	}
	n.endBeside(c) // the goroutine has a permit too, or its context has ended
	return p, nil, err
}
