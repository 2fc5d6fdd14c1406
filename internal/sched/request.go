package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// request is an operation together with what the scheduler knows of it.
type request struct {
	op   driver.Op
	done chan struct{} // receives one value when op has ended and is the waiting goroutine's again
	// inBacklog is true while op is in the engine's backlog. Under engine.mu.
	inBacklog bool
	// place says where op is. Two goroutines may change it at once: a submitter that
	// takes op out of the queue, with engine.mu held, and a cancel without engine.mu.
	// Both swap it from inQueue, and one of them succeeds.
	place atomic.Uint32
	// transfer is the Transfer that op is part of. It is nil if a goroutine waits for
	// op itself.
	transfer *Transfer
	// byGroup is true if op belongs to a Group, whose owner ensures that it is reaped.
	byGroup    bool
	timestamps timestamps
}

// Values of request.place.
const (
	elsewhere = iota
	inQueue   // in the inbox or the backlog
	abandoned // in the inbox or the backlog, but ended by cancel: the submitter drops it
)

// requestOf returns the request that op is part of.
func requestOf(op *driver.Op) *request { return op.Owner.(*request) }

var requests = sync.Pool{New: func() any {
	r := &request{done: make(chan struct{}, 1)}
	r.op.Owner = r
	return r
}}

// queue performs an operation on path 3 and returns its result. asked is when the
// caller asked for it, for the record, or 0.
func (s *Scheduler) queue(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	r := requests.Get().(*request)
	r.timestamps = timestamps{}
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
	if asked != 0 && !mustRetryPlain(f, res) {
		s.recordQueued(e, asked, record.Now(), r, f)
	}
	op.Buf = nil
	r.free()
	return res
}

// free returns r to the pool. An abandoned request is still in a queue: it is left to
// the garbage collector.
func (r *request) free() {
	if r.place.Load() != abandoned {
		requests.Put(r)
	}
}

// wait returns when op has ended. If ctx ends first, wait asks that op end early, and
// still waits for its end: until then the kernel may write into op's buffer.
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

// raceBefore and raceAfter report the kernel's accesses to the race detector, as if the
// waiting goroutine had made them. raceBefore reports them at the beginning, so that a
// conflicting access during the operation is found; raceAfter reports them at the end.
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
	// eclosed is the result of an operation that waited for its ticket while the file
	// was closed.
	eclosed = qos.Closed
)

// finish hands r's operation back: to its Transfer, or to the goroutine that waits for it.
func (r *request) finish() {
	if r.transfer != nil {
		r.transfer.completed()
		return
	}
	r.done <- struct{}{}
}
