package sched

import (
	"context"
	"math"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// request is an operation that a goroutine waits for.
type request struct {
	op   driver.Op
	done chan struct{} // holds one value when op is the goroutine's again
	// inBacklog: op is in the engine's backlog. Under engine.mu.
	inBacklog bool
	// transfer is what op is part of, if nobody waits for op itself.
	transfer *Transfer
	// tended: it is a Group's, whose owner sees to it that it is reaped.
	tended bool
	trip   trip
}

// requestOf returns the request that op is part of.
func requestOf(op *driver.Op) *request { return op.Owner.(*request) }

var requests = sync.Pool{New: func() any {
	r := &request{done: make(chan struct{}, 1)}
	r.op.Owner = r
	return r
}}

// queue performs an operation on path 3 and returns its result.
// It was asked for at asked, for the record.
func (s *Scheduler) queue(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	r := requests.Get().(*request)
	r.trip = trip{}
	op := &r.op
	op.Code, op.Flags, op.FD, op.Off, op.Buf = code, f.flags, int32(f.fd), off, b
	raceBefore(code, b)
	region := s.hook.Region(ctx, regionNames[code])
	e := s.engineOf(f)
	e.push(op)
	r.wait(ctx, e)
	region.End()
	res := op.Res
	raceAfter(code, b, res)
	if asked != 0 && !undone(f, res) {
		s.recordQueued(e, asked, record.Now(), r, f)
	}
	op.Buf = nil
	requests.Put(r)
	return res
}

// wait returns when the operation is the goroutine's again. If ctx ends first
// the operation is asked to end early; but the kernel may be writing into its
// buffer until it does, so wait goes on until then.
func (r *request) wait(ctx context.Context, e *engine) {
	ended := ctx.Done()
	if ended == nil {
		<-r.done
		return
	}
	select {
	case <-r.done:
	case <-ended:
		e.cancel(&r.op)
		<-r.done
	}
}

// raceBefore and raceAfter tell the race detector of the kernel's accesses,
// as if the waiting goroutine had made them: at the beginning, so that a
// conflicting access during the operation is seen, and at the end.
func raceBefore(code driver.Code, b []byte) {
	if !sys.RaceEnabled {
		return
	}
	switch code {
	case driver.Read:
		sys.RaceWrite(b)
	case driver.Write:
		sys.RaceRead(b)
	}
}

func raceAfter(code driver.Code, b []byte, res int32) {
	if sys.RaceEnabled && code == driver.Read && res > 0 {
		sys.RaceWrite(b[:res])
	}
}

const (
	eagain     = -int32(syscall.EAGAIN)
	eintr      = -int32(syscall.EINTR)
	efault     = -int32(syscall.EFAULT)
	ecanceled  = -int32(syscall.ECANCELED)
	eopnotsupp = -int32(syscall.EOPNOTSUPP)
	einval     = -int32(syscall.EINVAL)
	enosys     = -int32(syscall.ENOSYS)
	// eclosed is the result of what waited for its turn when the file was closed.
	// It is no errno's.
	eclosed = math.MinInt32
)

// finish gives r's operation back to whom it belongs to.
func (r *request) finish() {
	if r.transfer != nil {
		r.transfer.completed()
		return
	}
	r.done <- struct{}{}
}
