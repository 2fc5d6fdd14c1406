package qos

import (
	"context"
	"math"
	"sync"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/spare"
	"github.com/sluiceio/sluice/internal/usecount"
)

// Queue grants tickets to operations, in an order that is fair to their classes. Each device has a
// queue, so that no device takes another's room.
//
// A goroutine that makes room, by ending an operation or changing the settings, grants the tickets
// that fit. If a limit holds an operation back, the timer grants its ticket.
type Queue struct {
	now    func() time.Duration
	device uint64 // its number

	mu   sync.Mutex
	fair fair.Queue // under mu
	// timer calls onAlarm at alarm, when a limit may let another operation begin. mu guards both.
	timer  *time.Timer
	alarm  time.Duration
	alarms sync.WaitGroup // timers that are set, or that run onAlarm

	unused spare.Pool[Ticket]
}

// classLocked returns c in the queue, or the default class if c was removed. It must be called with
// mu held: until mu is unlocked, Remove does not take c out of the queue.
func (q *Queue) classLocked(c *Class) *fair.Class {
	c = c.all.Or(c)
	in, ok := c.inQueue.Load(q)
	if !ok {
		in = q.fair.Add(q.now(), c.Settings())
		c.inQueue.Store(q, in)
	}
	return in.(*fair.Class)
}

// update follows a change of c, and grants the tickets that fit then.
func (q *Queue) update(c *Class) {
	q.mu.Lock()
	in, ok := c.inQueue.Load(q)
	switch {
	case !ok:
	case c.removed.Load():
		q.fair.Remove(q.now(), in.(*fair.Class))
	default:
		in.(*fair.Class).Configure(q.now(), c.Settings())
	}
	q.grantAndUnlock()
}

// statsOf returns the counts of c, a class in the queue.
func (q *Queue) statsOf(c *fair.Class) fair.Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return c.Stats()
}

// Take waits for the ticket of an operation of n bytes, which may grant fewer. If res is not 0,
// there is no ticket: the file is closing (Closed), or ctx has ended (Canceled).
func (q *Queue) Take(ctx context.Context, c *Class, file *usecount.Count, n int, use fair.Use) (t *Ticket, res int32) {
	t = q.NewTicket(nil, file, use)
	if t.Request(c, n) {
		return t, 0
	}
	select {
	case res = <-t.ready:
	case <-ctx.Done():
		t.Withdraw()
		res = <-t.ready // it may have been granted by now; the operation checks its context itself
	}
	if res != 0 {
		t.Free()
		return nil, res
	}
	return t, 0
}

// Request puts t into its queue, for n bytes. If the operation is outside the cap, and its class
// has no limits, it begins at once, and Request returns true. Otherwise t's Waiter is told, perhaps
// before Request returns.
func (t *Ticket) Request(c *Class, n int) (begins bool) {
	q := t.queue
	q.mu.Lock()
	if t.Use == fair.OutsideCap && !c.Limited() {
		q.fair.Admit(&t.Ticket, q.classLocked(c), n)
		q.mu.Unlock()
		return true
	}
	if res := t.rejectReason(); res != 0 {
		q.mu.Unlock()
		t.waiter.Rejected(res)
		return false
	}
	q.fair.Push(q.now(), &t.Ticket, q.classLocked(c), n)
	q.grantAndUnlock()
	return false
}

// End ends t, whose operation has transferred n bytes, or failed if n is negative. It grants the
// tickets that then fit. After that only a Waiter uses t: it may request t again, and frees it.
func (t *Ticket) End(n int64) {
	q := t.queue
	q.mu.Lock()
	q.fair.Done(q.now(), &t.Ticket, max(0, n))
	q.grantAndUnlock()
	if t.waiter == t.ready {
		t.Free()
	}
}

// Withdraw rejects the ticket if it still waits in its queue, and reports whether it did. Request
// rejects the ticket from now on, so that it does not wait again.
func (t *Ticket) Withdraw() bool {
	q := t.queue
	q.mu.Lock()
	t.withdrawn = true
	was := q.fair.Withdraw(&t.Ticket)
	q.grantAndUnlock() // a ticket behind it may be smaller
	if was {
		t.waiter.Rejected(Canceled)
	}
	return was
}

// grantAndUnlock grants all tickets that fit, unlocks mu, and tells their Waiters.
func (q *Queue) grantAndUnlock() {
	var first *Ticket
	last := &first
	now := q.now()
	granted, again := q.fair.Next(now)
	for ; granted != nil; granted, again = q.fair.Next(now) {
		*last = granted.Owner.(*Ticket)
		last = &(*last).next
	}
	q.setAlarm(now, again)
	q.mu.Unlock()
	for t := first; t != nil; t = first {
		first, t.next = t.next, nil // before Granted, which may request the ticket again
		t.waiter.Granted()
	}
}

// setAlarm makes the timer call onAlarm at that time, unless it is set for an earlier one. It must
// be called with mu held.
func (q *Queue) setAlarm(now, at time.Duration) {
	if at >= q.alarm {
		return
	}
	q.stopTimer()
	q.alarm = at
	q.alarms.Add(1)
	q.timer = time.AfterFunc(at-now, q.onAlarm)
}

func (q *Queue) onAlarm() {
	defer q.alarms.Done()
	q.mu.Lock()
	// If the timer was set again since this alarm, it is for an earlier time: it fires too, or is
	// replaced below.
	q.alarm = fair.Never
	q.grantAndUnlock()
}

// stopTimer stops the timer, if it is set. It must be called with mu held.
func (q *Queue) stopTimer() {
	if q.timer != nil && q.timer.Stop() {
		q.alarms.Done()
	}
	q.timer, q.alarm = nil, fair.Never
}

// Ticket is an operation's place in a Queue. The operation keeps it from its wait until its end.
// Granted is the number of bytes that it may transfer.
type Ticket struct {
	fair.Ticket
	queue  *Queue
	file   *usecount.Count // of the operation's file; nil if only the caller knows the file
	waiter Waiter          // ready, if a goroutine waits
	ready  ready
	next   *Ticket // of those that were granted together
	// withdrawn: Withdraw was called. Under Queue.mu, but for Free.
	withdrawn bool
}

// ready is the Waiter of a goroutine, which receives from it: 0 when the operation may begin, or
// the reason why not.
type ready chan int32

func (r ready) Granted()           { r <- 0 }
func (r ready) Rejected(res int32) { r <- res }

// Waiter is an operation that waits for its ticket. It may have one Ticket at a time.
type Waiter interface {
	// Granted begins the operation, for the bytes that its ticket grants.
	Granted()
	// Rejected ends the operation, which has not begun, with a result.
	Rejected(res int32)
}

// Results of operations whose tickets were rejected.
const (
	Canceled = -int32(syscall.ECANCELED) // the ticket was withdrawn
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
	t.queue, t.file, t.waiter, t.Use, t.withdrawn = nil, nil, nil, fair.Read, false
	q.unused.Put(t)
}

// rejectReason returns the result that says why t may not wait, or 0 if it may. It must be called
// with Queue.mu held. A Close of a file first sets its mark, and then searches the queue with that
// mutex held. Withdraw sets its mark with the mutex held. So rejectReason sees the mark, or the
// search finds t.
func (t *Ticket) rejectReason() int32 {
	switch {
	case t.file != nil && t.file.Closing():
		return Closed
	case t.withdrawn:
		return Canceled
	}
	return 0
}
