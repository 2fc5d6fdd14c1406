package sched

import (
	"context"
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/record"
)

// This file is about what a Batch does by plain calls: with names, and with files that no
// other operation knows of (raw_file.go). These calls have a limiter of their own, as large as
// that of file I/O. An open may wait for the other end of a pipe, or for a server. Nothing
// else should wait for that, and neither should another Batch (IsolatedContext).

// NamedCall is a system call with a name, about to be made or in progress.
type NamedCall struct {
	s                *Scheduler
	asked, submitted int64 // for the record; 0 while nothing is recorded
	permit           limiter.Permit
}

// EnterNames acquires a permit for a system call that may wait. If ctx ends first, it returns
// ctx's error and the call must not be made.
func (s *Scheduler) EnterNames(ctx context.Context) (NamedCall, error) {
	asked := s.hook.Now()
	p, err := s.acquireNamePermit(ctx)
	if err != nil {
		return NamedCall{}, err
	}
	return NamedCall{s, asked, s.hook.Now(), p}, nil
}

// IsolatedContext is a context whose calls with names can have a quota of their own. Which
// device a name leads to is not known before the call. So at the limiter for names an
// IsolatedContext counts as a device does at the limiter of file I/O: calls of
// other contexts that wait for a device do not hold up its own.
type IsolatedContext struct {
	context.Context
	whose uint64 // no other IsolatedContext of the Scheduler has it
}

// Isolate returns an IsolatedContext with the Values and the end of ctx. Only a pointer to it
// is a context.Context.
func (s *Scheduler) Isolate(ctx context.Context) IsolatedContext {
	return IsolatedContext{ctx, s.isolations.Add(1)}
}

// isolationKey is the key under which a derived context finds its IsolatedContext.
type isolationKey struct{}

// Value returns the context's value for a key.
func (a *IsolatedContext) Value(key any) any {
	if key == (isolationKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// acquireNamePermit acquires a permit for calls with names. The error is ctx's.
func (s *Scheduler) acquireNamePermit(ctx context.Context) (limiter.Permit, error) {
	if s.nameLimiter.TryAcquire() {
		return limiter.Permit{}, nil
	}
	whose := uint64(limiter.NoDevice)
	if a, ok := ctx.Value(isolationKey{}).(*IsolatedContext); ok {
		whose = a.whose
	}
	return s.nameLimiter.Acquire(ctx, whose)
}

// BeginNamed is EnterNames for a call that does not wait. It acquires no permit, and the caller
// ends the call with End.
func (s *Scheduler) BeginNamed() NamedCall {
	now := s.hook.Now()
	return NamedCall{s, now, now, limiter.Permit{}}
}

// Leave ends a call that EnterNames has begun: it releases the permit, and counts and records
// the call. Kind is the record's (record.KindOpen …) and name is the file's. Off and size are
// those of a range, where the call has one.
func (c NamedCall) Leave(kind uint8, name string, off, size int64, err error) {
	c.s.nameLimiter.Release(c.permit)
	c.End(kind, name, off, size, err)
}

// End is Leave for a call that BeginNamed has begun.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	c.s.stats.Add(counters.Blocking, driver.Code(kind), 0)
	if c.asked == 0 {
		return
	}
	c.s.hook.Op(&record.Op{
		Queued: c.asked, Submitted: c.submitted, Completed: record.Now(), Off: off, Size: int(size), Res: errnoOf(err),
		Kind: kind, Path: record.PathBlocking,
	}, new(record.FileRef), name, nil)
}

// errnoOf returns the result that err stands for. An error that is no system call's counts as
// EINVAL.
func errnoOf(err error) int32 {
	var e syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return -int32(e)
	}
	return einval
}

// Caller makes the plain system call for a transfer or an fsync.
type Caller func(code driver.Code, fd int, b []byte, off int64) int32

// WrapCalls lets a test replace the plain system calls. Wrap is given the function that makes
// them and returns the one to use. A call with several buffers becomes one call for each.
// Looks into the page cache are not replaced. WrapCalls must be called before the first
// operation.
func (s *Scheduler) WrapCalls(wrap func(Caller) Caller) {
	s.call = wrap(s.call)
	s.callVec = func(code driver.Code, fd int, first []byte, _ [][]byte, off int64) int32 {
		return s.call(code, fd, first, off)
	}
}
