package ioengine

import (
	"context"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/spare"
	"github.com/sluiceio/sluice/internal/sys"
)

// Request is an operation together with what the engine knows of it. The caller fills in Op,
// pushes the request, and waits for it (Wait), or has its Client called.
//
// A Request begins on a cache line, as its size is a multiple of one. The fields from Client to
// InSet, which each operation needs, are on one line.
type Request struct {
	Op   driver.Op
	from *Requests
	// number differs between the requests of a Requests. Group.Of spreads them by it.
	number uint32
	// Client is called when Op has ended. If it is nil, a goroutine waits for Op.
	Client Client
	done   chan struct{} // receives one value when Op has ended, or at End
	// ring is where the request was pushed. Written by its owner, before that.
	ring *Engine
	// where says where Op is. Two goroutines may change it at once: a submitter that
	// takes Op out of the queue, with Engine.mu held, and a cancel without Engine.mu.
	// Both swap it from inQueue, and one of them succeeds.
	where atomic.Uint32
	// waiting is waits while a goroutine is in Wait and can be part of a relay (handover). In a
	// relay the goroutine makes next ready, or, as the last one, the leader. The leader sets
	// waiting and next.
	waiting atomic.Uint32
	// InSet is set before the request is queued, if the owner of its RequestSet ensures that Op is
	// reaped. Free clears it.
	InSet bool

	next  *Request
	links list.Node[Request] // in RequestSet.ended
	// Times are written by the goroutines that submit the request and reap it. Other goroutines
	// may read Times when Op has ended.
	Times Times

	_ [16]byte // fills the last cache line: the next Request is another goroutine's
}

// Client is what a Request is part of, if no goroutine waits for the request.
type Client interface {
	// Completed is called when the operation has ended, by the goroutine that has reaped it or
	// canceled it. It must not wait.
	Completed()
}

// Times is what the engine notes of a request in the driver; all 0 while nothing is recorded.
type Times struct {
	Submitted, Completed int64
	Batch                int // how many operations were submitted together
}

// Values of Request.where.
const (
	elsewhere = iota
	inQueue   // in the inbox or the backlog
	abandoned // in the inbox or the backlog, but ended by cancel: the submitter drops it
)

// Values of Request.waiting.
const (
	doesNotWait = iota
	waits
	inRelay // waits, and another goroutine of the relay makes it ready
)

// Canceled is the result of an operation that was canceled, or that the driver did not begin.
const Canceled = -int32(syscall.ECANCELED)

func requestOf(op *driver.Op) *Request { return op.Owner.(*Request) }

// Requests keeps the requests of a Scheduler that are not in use.
type Requests struct {
	unused spare.Pool[Request]
	made   atomic.Uint32
}

// New returns a request, which Free takes back.
func (p *Requests) New() *Request {
	r := p.unused.Get(makeRequest)
	if r.from != p {
		r.from, r.number = p, p.made.Add(1)
	}
	r.Times = Times{}
	return r
}

func makeRequest() *Request {
	r := &Request{done: make(chan struct{}, 1)}
	r.Op.Owner = r
	return r
}

// Free makes the request available for other operations. A request that was abandoned is still
// in a queue. It is left to the garbage collector.
func (r *Request) Free() {
	r.Op.Buf, r.Op.Reg, r.Client, r.InSet, r.ring = nil, 0, nil, false, nil
	if r.where.Load() != abandoned {
		r.from.unused.Put(r)
	}
}

// Wait returns when Op has ended. If ctx ends first, Wait asks that Op end early, and
// still waits for its end: until then the kernel may write into Op's buffer.
func (r *Request) Wait(ctx context.Context) {
	r.waiting.Store(waits)
	if ended := ctx.Done(); ended == nil {
		<-r.done
	} else {
		select {
		case <-r.done:
		case <-ended:
			// Cancel may wait for another goroutine's system call. If r is in a relay already, Op
			// has ended, and Cancel is not called.
			if r.waiting.CompareAndSwap(waits, doesNotWait) {
				r.Cancel()
			}
			<-r.done
		}
	}
	if r.waiting.Swap(doesNotWait) == inRelay {
		r.wakeNext()
	}
}

// Hook returns the Hook of the ring to which r was pushed, and the name of its driver in records.
func (r *Request) Hook() (hook *record.Hook, driver uint8) { return r.ring.hook, r.ring.id }

// Done returns a channel that receives a value when Op has ended, or for a request with a
// Client, when End is called.
func (r *Request) Done() <-chan struct{} { return r.done }

// End makes Done receive a value.
func (r *Request) End() { r.done <- struct{}{} }

// finish hands the request back to its Client, or to the goroutine that waits for it.
func (r *Request) finish() {
	if r.Client != nil {
		r.Client.Completed()
		return
	}
	r.done <- struct{}{}
}

// RaceBefore and RaceAfter report the kernel's accesses to the race detector, as if the
// waiting goroutine had made them. RaceBefore reports them at the beginning, so that a
// conflicting access during the operation is found; RaceAfter reports them at the end.
func RaceBefore(code driver.Code, b []byte) {
	switch code {
	case driver.Read:
		sys.RaceWrite(b)
	case driver.Write:
		sys.RaceRead(b)
	}
}

// RaceAfter reports the accesses at the end; see RaceBefore.
func RaceAfter(code driver.Code, b []byte, res int32) {
	if code == driver.Read && res > 0 {
		sys.RaceWrite(b[:res])
	}
}
