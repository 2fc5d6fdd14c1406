package qos

import (
	"context"
	"sync"
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
	fair *fair.Queue // under mu
	// timer calls onAlarm at alarm, when a limit may let another operation begin. mu guards both.
	timer  *time.Timer
	alarm  time.Duration
	alarms sync.WaitGroup // timers that are set, or that run onAlarm

	unused spare.Pool[Ticket]
}

// add makes c one of the queue's classes, with the settings o.
func (q *Queue) add(c *Class, o fair.Settings) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.inQueue.Store(q, q.fair.Add(q.now(), o))
}

// classLocked returns c in the queue, or the default class if c was removed. It must be called with
// mu held: until mu is unlocked, Remove does not take c out of the queue.
func (q *Queue) classLocked(c *Class) *fair.Class { return c.all.Or(c).in(q) }

// statsOf returns the counts of c, a class in the queue.
func (q *Queue) statsOf(c *fair.Class) fair.Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return c.Stats()
}

// Take waits for the ticket of an operation of n bytes, which may grant fewer. If res is not 0
// there is no ticket: the file is closing (Closed), or ctx has ended (Canceled). Outside the cap,
// an operation of a class without limits does not wait.
func (q *Queue) Take(ctx context.Context, c *Class, file *usecount.Count, n int, use fair.Use) (t *Ticket, res int32) {
	t = q.NewTicket(nil, file, use)
	if use == fair.OutsideCap && !c.Limited() {
		t.Admit(c, n)
		return t, 0
	}
	t.Request(c, n)
	select {
	case res = <-t.ready:
	case <-ctx.Done():
		if res = Canceled; !t.withdraw() {
			res = <-t.ready // granted or rejected by now; the operation checks its context itself
		}
	}
	if res != 0 {
		t.Free()
		return nil, res
	}
	return t, 0
}

// TakeAll is Take for an operation that must not be split. It waits until all n bytes
// were granted, one ticket after the other, and returns the last ticket.
func (q *Queue) TakeAll(ctx context.Context, c *Class, file *usecount.Count, n int, use fair.Use) (t *Ticket, res int32) {
	for {
		t, res = q.Take(ctx, c, file, n, use)
		if t == nil || t.Granted() >= n {
			return t, res
		}
		n -= t.Granted()
		t.End(0)
	}
}

// Admit lets t's operation, of n bytes outside the cap, begin. It does not wait.
func (t *Ticket) Admit(c *Class, n int) {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fair.Admit(&t.Ticket, q.classLocked(c), n)
}

// Request puts t into its queue, for n bytes. t may be granted at once, or be rejected.
func (t *Ticket) Request(c *Class, n int) {
	q := t.queue
	q.mu.Lock()
	if res := t.rejectReason(); res != 0 {
		q.mu.Unlock()
		t.reject(res)
		return
	}
	q.fair.Push(q.now(), &t.Ticket, q.classLocked(c), n)
	q.grantAndUnlock()
}

// End ends t, whose operation has transferred n bytes, or failed if n is negative. It grants the
// tickets that then fit. After that only a Waiter uses t: it may request t again, and frees it.
func (t *Ticket) End(n int64) {
	q := t.queue
	q.mu.Lock()
	q.fair.Done(q.now(), &t.Ticket, max(0, n))
	q.grantAndUnlock()
	if t.waiter == nil {
		t.Free()
	}
}

// Withdraw rejects the ticket of a Waiter if it still waits in its queue, and reports whether it
// did. The caller has marked the Waiter as withdrawn, so that it does not wait again.
func (t *Ticket) Withdraw() bool {
	if !t.withdraw() {
		return false
	}
	t.reject(Canceled)
	return true
}

// withdraw takes t out of its queue, and reports whether it was there.
func (t *Ticket) withdraw() bool {
	q := t.queue
	q.mu.Lock()
	was := q.fair.Withdraw(&t.Ticket)
	q.grantAndUnlock() // a ticket behind it may be smaller
	return was
}

// grantAndUnlock grants all tickets that fit, and unlocks mu.
func (q *Queue) grantAndUnlock() {
	var granted ticketList
	q.grantLocked(&granted)
	q.mu.Unlock()
	granted.start()
}

// grantLocked grants all tickets that fit. It wakes waiting goroutines, and adds the tickets of
// Waiters to granted, which the caller must start once it has unlocked mu. mu must be held.
func (q *Queue) grantLocked(granted *ticketList) {
	now := q.now()
	for {
		next, again := q.fair.Next(now)
		if next == nil {
			q.setAlarm(now, again)
			return
		}
		t := next.Owner.(*Ticket)
		if t.waiter != nil {
			granted.add(t)
		} else {
			t.ready <- 0
		}
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

// onAlarm is the timer's function.
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

// reject rejects the waiting tickets of operations on a file that is closing.
func (q *Queue) reject(file *usecount.Count) {
	q.mu.Lock()
	out := q.fair.WithdrawIf(func(t *fair.Ticket) bool { return t.Owner.(*Ticket).file == file })
	q.grantAndUnlock()
	for _, t := range out {
		t.Owner.(*Ticket).reject(Closed)
	}
}

// close stops the timer. No ticket waits any more.
func (q *Queue) close() {
	q.mu.Lock()
	q.stopTimer()
	q.mu.Unlock()
	q.alarms.Wait()
}
