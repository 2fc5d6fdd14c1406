package qos

import (
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/usecount"
)

// Ticket is an operation's place in a Queue. The operation keeps it from its wait until its end.
// Granted is the number of bytes that it may transfer.
type Ticket struct {
	fair.Ticket
	queue *Queue
	file  *usecount.Count // of the operation's file; nil if only the caller knows the file
	// waiter is the operation with the ticket, if no goroutine waits with it. If waiter is nil, a
	// goroutine waits for ready, which gets 0 when the operation may begin, or the reason why not.
	waiter Waiter
	ready  chan int32
	next   *Ticket // in a ticketList
}

// Waiter is an operation without a waiting goroutine. It may have one Ticket at a time.
type Waiter interface {
	// Granted begins the operation, for the bytes that its ticket grants.
	Granted()
	// Rejected ends the operation, which has not begun, with a result.
	Rejected(res int32)
	// Withdrawn reports whether the operation must end early. The Queue's mutex is held then.
	Withdrawn() bool
}

// Results of operations whose tickets were rejected.
const (
	Canceled = -int32(syscall.ECANCELED) // the context has ended, or the Waiter is withdrawn
	Closed   = math.MinInt32             // the file was closed. No errno has this value
)

func makeTicket() *Ticket {
	t := &Ticket{ready: make(chan int32, 1)}
	t.Owner = t
	return t
}

// NewTicket returns a ticket for an operation on a file. See fair.Ticket for use. If w is not nil,
// it frees the ticket (Free) when it has ended.
func (q *Queue) NewTicket(w Waiter, file *usecount.Count, use fair.Use) *Ticket {
	t := q.unused.Get(makeTicket)
	t.queue, t.waiter, t.file, t.Use = q, w, file, use
	return t
}

// Free makes the ticket of a Waiter available for other operations.
func (t *Ticket) Free() {
	q := t.queue
	t.queue, t.file, t.waiter, t.Use = nil, nil, nil, fair.Read
	q.unused.Put(t)
}

// rejectReason returns the result that says why t may not wait, or 0 if it may. It must be called
// with Queue.mu held. A Close of a file, or a withdrawal of a Waiter, first sets its mark, and then
// searches the queue with that mutex held. So rejectReason sees the mark, or the search finds t.
func (t *Ticket) rejectReason() int32 {
	switch {
	case t.file != nil && t.file.Closing():
		return Closed
	case t.waiter != nil && t.waiter.Withdrawn():
		return Canceled
	}
	return 0
}

// reject ends t's operation with res before it has begun. t is in no queue.
func (t *Ticket) reject(res int32) {
	if t.waiter != nil {
		t.waiter.Rejected(res)
		return
	}
	t.ready <- res
}

// ticketList is a list of tickets of Waiters that were granted together.
type ticketList struct{ first, last *Ticket }

func (l *ticketList) add(t *Ticket) {
	if l.first == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

// start begins the operations of the Waiters.
func (l *ticketList) start() {
	for t := l.first; t != nil; t = l.first {
		l.first, t.next = t.next, nil // before Granted, which may request the ticket again
		t.waiter.Granted()
	}
}
