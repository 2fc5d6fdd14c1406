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
	queue  *Queue
	file   *usecount.Count // of the operation's file; nil if only the caller knows the file
	waiter Waiter          // ready, if a goroutine waits
	ready  ready
	next   *Ticket // of those that were granted together
}

// ready is the Waiter of a goroutine, which waits for it. It gets 0 when the operation may begin, or
// the reason why not.
type ready chan int32

func (r ready) Granted()           { r <- 0 }
func (r ready) Rejected(res int32) { r <- res }
func (r ready) Withdrawn() bool    { return false }

// Waiter is an operation that waits for its ticket. It may have one Ticket at a time.
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
	t := &Ticket{ready: make(ready, 1)}
	t.Owner = t
	return t
}

// NewTicket returns a ticket for an operation on a file. See fair.Use for use. If w is not nil, it
// frees the ticket (Free) when it has ended. If w is nil, the calling goroutine waits.
func (q *Queue) NewTicket(w Waiter, file *usecount.Count, use fair.Use) *Ticket {
	t := q.unused.Get(makeTicket)
	if w == nil {
		w = t.ready
	}
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
	case t.waiter.Withdrawn():
		return Canceled
	}
	return 0
}
