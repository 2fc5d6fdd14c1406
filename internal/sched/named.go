package sched

import (
	"context"
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// What a Batch does by plain calls: with names, and with files that nobody else
// knows of (own.go). It has a gate of its own, as large as that of file I/O: an
// open may wait for the other end of a pipe, or for a server, and nothing else is
// to wait for that; another Batch neither (Apart).

// NamedCall is a system call with a name that is about to be made, or being made.
type NamedCall struct {
	s                *Scheduler
	asked, submitted int64 // for the record; 0 while nothing is recorded
	pass             pass
}

// EnterNames takes a place for a system call that may wait. The error is ctx's;
// there is no call then.
func (s *Scheduler) EnterNames(ctx context.Context) (NamedCall, error) {
	asked := s.hook.Now()
	p, err := s.enterNames(ctx)
	if err != nil {
		return NamedCall{}, err
	}
	return NamedCall{s, asked, s.hook.Now(), p}, nil
}

// Apart is a context whose calls with names have, at their gate, what a device has at
// that of file I/O (share): others that wait for a device, which nobody knows of
// before the call, do not hold them up.
type Apart struct {
	context.Context
	whose uint64 // no other Apart of the Scheduler has it
}

// Apart returns one with the Values and the end of ctx. It is a context where it is
// pointed to.
func (s *Scheduler) Apart(ctx context.Context) Apart { return Apart{ctx, s.apart.Add(1)} }

// apartKey is by what an Apart is found in contexts that are made of it.
type apartKey struct{}

// Value returns what the context has for a key.
func (a *Apart) Value(key any) any {
	if key == (apartKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// enterNames takes a place at the gate for calls with names. The error is ctx's.
func (s *Scheduler) enterNames(ctx context.Context) (pass, error) {
	if s.names.take() {
		return nil, nil
	}
	whose := uint64(noDevice)
	if a, ok := ctx.Value(apartKey{}).(*Apart); ok {
		whose = a.whose
	}
	return s.names.await(ctx, whose)
}

// BeginNamed is EnterNames for a call that waits for nothing, which takes no
// place.
func (s *Scheduler) BeginNamed() NamedCall {
	now := s.hook.Now()
	return NamedCall{s, now, now, nil}
}

// Leave gives back what EnterNames has taken, and counts and records the call as
// one of a kind (record.KindOpen …) with a file of that name. Off and size are of
// a range, where there is one.
func (c NamedCall) Leave(kind uint8, name string, off, size int64, err error) {
	c.s.names.leave(c.pass)
	c.End(kind, name, off, size, err)
}

// End is Leave for BeginNamed.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	c.s.stats.add(pathBlocking, driver.Code(kind), 0)
	if c.asked == 0 {
		return
	}
	c.s.hook.Op(&record.Op{
		Queued: c.asked, Submitted: c.submitted, Completed: record.Now(), Off: off, Size: int(size), Res: errnoOf(err),
		Kind: kind, Path: record.PathBlocking,
	}, new(record.FileRef), name, nil)
}

// errnoOf is the result that err tells of. What is no system call's error is
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

// PlayCalls has a test play the plain system calls: wrap is given what makes
// them. Calls with several buffers become one for each. What is found in the page
// cache is none. Called before the first operation.
func (s *Scheduler) PlayCalls(wrap func(Caller) Caller) {
	s.call = wrap(s.call)
	s.callVec = func(code driver.Code, fd int, first []byte, _ [][]byte, off int64) int32 {
		return s.call(code, fd, first, off)
	}
}
