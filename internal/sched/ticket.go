package sched

import (
	"sync"

	"github.com/sluiceio/sluice/internal/fair"
)

// ticket is an operation's place in a fair queue. The operation waits with it, and
// keeps it until it has ended.
type ticket struct {
	fair.Turn
	f  *File      // nil: a descriptor that only the caller knows
	at *fairQueue // the queue that it waits in, or that has granted it
	// transfer is the Transfer that has the ticket. If it is nil, a goroutine waits
	// for ready. That holds a value when the operation may begin, or when rejected
	// is the result that says why not.
	transfer *Transfer
	ready    chan struct{}
	rejected int32
	next     *ticket // in a ticketList
}

var tickets = sync.Pool{New: func() any {
	u := &ticket{ready: make(chan struct{}, 1)}
	u.Owner = u
	return u
}}

// rejectReason returns the result that says why u may not wait, or 0 if it may. It
// must be called with fairQueue.mu held. A Close, or a Withdraw of a Transfer, first
// marks what it ends and then searches the queue, under that mutex. So it is either
// seen here, or finds u in the queue.
func (u *ticket) rejectReason() int32 {
	switch t := u.transfer; {
	case u.f != nil && u.f.closing():
		return eclosed
	case t != nil && t.s.helpers.hasWithdrawn(t):
		return ecanceled
	}
	return 0
}

// reject ends u's operation with res before it has begun. It is in no queue.
func (u *ticket) reject(res int32) {
	if t := u.transfer; t != nil {
		u.free()
		t.res = res
		t.end()
		return
	}
	u.rejected = res
	u.ready <- struct{}{}
}

// free returns u to the pool. Its operation has ended or was rejected.
func (u *ticket) free() {
	u.f, u.at, u.transfer, u.rejected, u.Beside = nil, nil, nil, 0, false
	tickets.Put(u)
}

// ticketList is a list of tickets that were granted, or rejected, together.
type ticketList struct{ first, last *ticket }

func (l *ticketList) add(u *ticket) {
	if l.last == nil {
		l.first = u
	} else {
		l.last.next = u
	}
	l.last = u
}

// pop removes and returns the first ticket; nil if there is none.
func (l *ticketList) pop() *ticket {
	u := l.first
	if u == nil {
		return nil
	}
	if l.first = u.next; l.first == nil {
		l.last = nil
	}
	u.next = nil
	return u
}

// start begins the Transfers that have the tickets.
func (l *ticketList) start() {
	for u := l.pop(); u != nil; u = l.pop() {
		u.transfer.granted()
	}
}
