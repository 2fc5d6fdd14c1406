package sched

import (
	"context"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
)

// fairQueue grants tickets to operations, in an order that is fair to their classes.
// Each ring has one, so that no device takes up the room of another. Until a class
// is made or configured Scheduler.hasClasses is false, and an operation checks
// nothing else.
//
// An operation takes its ticket before it goes its way (path 2 or 3), and ends it
// when its result is there. So what is in flight is counted whatever the path. The
// goroutine that makes room grants the tickets of the operations that fit: it has
// ended another operation or changed the settings. Where a limit holds an operation
// back, the timer does.
type fairQueue struct {
	number int // of its ring

	mu    sync.Mutex
	queue *fair.Queue // under mu
	// timer calls onAlarm at the time alarm, when a limit may let another
	// operation begin. Both are guarded by mu.
	timer  *time.Timer
	alarm  time.Duration
	alarms sync.WaitGroup // timers that are set, or that run onAlarm
	now    func() time.Duration
}

func newFairQueue(number int, now func() time.Duration, c fair.Cap) *fairQueue {
	return &fairQueue{number: number, queue: fair.New(c), now: now, alarm: fair.Never}
}

// add makes c one of the queue's classes, with the settings o.
func (k *fairQueue) add(c *Class, o fair.Settings) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.fair[k.number] = k.queue.Add(k.now(), o)
}

// take waits for the ticket of an operation of n bytes, which may grant fewer. If res
// is not 0 there is no ticket: the file is closing, or ctx has ended. See fair.Turn
// for beside.
func (k *fairQueue) take(ctx context.Context, c *Class, f *File, n int, beside bool) (u *ticket, res int32) {
	u = tickets.Get().(*ticket)
	u.f, u.Beside = f, beside
	k.push(u, c, n)
	select {
	case <-u.ready:
	default:
		k.await(ctx, u)
	}
	if u.rejected != 0 {
		res = u.rejected
		u.free()
		return nil, res
	}
	return u, 0
}

// takeAll is take for an operation that must not be split. It waits until all n bytes
// were granted, one ticket after the other, and returns the last ticket.
func (k *fairQueue) takeAll(ctx context.Context, c *Class, f *File, n int, beside bool) (u *ticket, res int32) {
	for {
		u, res = k.take(ctx, c, f, n, beside)
		if u == nil || u.Granted() >= n {
			return u, res
		}
		n -= u.Granted()
		k.end(u, 0)
	}
}

// admit returns a ticket for an operation that does not wait, and is outside the cap.
func (k *fairQueue) admit(c *Class, f *File) *ticket {
	u := tickets.Get().(*ticket)
	u.f, u.at = f, k
	k.mu.Lock()
	k.queue.Admit(k.now(), &u.Turn, c.fair[k.number])
	k.mu.Unlock()
	return u
}

// await waits until u is granted or rejected, or until ctx ends.
func (k *fairQueue) await(ctx context.Context, u *ticket) {
	select {
	case <-u.ready:
	case <-ctx.Done():
		if k.withdraw(u) {
			u.rejected = ecanceled
			return
		}
		<-u.ready // granted or rejected meanwhile; the operation checks its context itself
	}
}

// push puts u into the queue. It may be granted at once, or be rejected.
func (k *fairQueue) push(u *ticket, c *Class, n int) {
	u.at = k
	k.mu.Lock()
	if res := u.rejectReason(); res != 0 {
		k.mu.Unlock()
		u.reject(res)
		return
	}
	if u.transfer != nil {
		u.transfer.ticket = u
	}
	k.queue.Push(k.now(), &u.Turn, c.fair[k.number], n)
	k.grantAndUnlock()
}

// end ends u, whose operation gave res, and grants the tickets that fit now.
func (k *fairQueue) end(u *ticket, res int64) {
	k.mu.Lock()
	k.queue.Done(k.now(), &u.Turn, max(0, res))
	if u.transfer != nil {
		u.transfer.ticket = nil // under mu, as its owner may be withdrawing it
	}
	granted := k.grantLocked()
	k.mu.Unlock()
	u.free()
	granted.start()
}

// grantAndUnlock grants all tickets that fit, and unlocks mu.
func (k *fairQueue) grantAndUnlock() {
	granted := k.grantLocked()
	k.mu.Unlock()
	granted.start()
}

// grantLocked grants all tickets that fit. It wakes the goroutines that wait, and
// returns the tickets of Transfers, which the caller must start once it has unlocked
// mu. It must be called with mu held.
func (k *fairQueue) grantLocked() (granted ticketList) {
	now := k.now()
	for {
		t, again := k.queue.Next(now)
		if t == nil {
			k.setAlarm(now, again)
			return granted
		}
		u := t.Owner.(*ticket)
		if u.transfer != nil {
			granted.add(u)
		} else {
			u.ready <- struct{}{}
		}
	}
}

// setAlarm has the timer call onAlarm at that time, unless it is set for an earlier one.
// It must be called with mu held.
func (k *fairQueue) setAlarm(now, at time.Duration) {
	if at >= k.alarm {
		return
	}
	k.stopTimer()
	k.alarm = at
	k.alarms.Add(1)
	k.timer = time.AfterFunc(at-now, k.onAlarm)
}

// onAlarm is called by the timer.
func (k *fairQueue) onAlarm() {
	defer k.alarms.Done()
	k.mu.Lock()
	// A timer that was set since this one fired is for an earlier time. It fires
	// too, or is replaced below.
	k.alarm = fair.Never
	k.grantAndUnlock()
}

// stopTimer stops the timer, if it is set. It must be called with mu held.
func (k *fairQueue) stopTimer() {
	if k.timer != nil && k.timer.Stop() {
		k.alarms.Done()
	}
	k.timer, k.alarm = nil, fair.Never
}

// withdraw takes u out of the queue, and reports whether it was there.
func (k *fairQueue) withdraw(u *ticket) bool {
	k.mu.Lock()
	was := k.queue.Withdraw(&u.Turn)
	var granted ticketList
	if was {
		granted = k.grantLocked() // a ticket behind it may be smaller
	}
	k.mu.Unlock()
	granted.start()
	return was
}

// closeFile rejects the tickets that wait for an operation on f, which is closing.
func (k *fairQueue) closeFile(f *File) {
	var out ticketList
	k.mu.Lock()
	k.queue.WithdrawIf(
		func(t *fair.Turn) bool { u := t.Owner.(*ticket); return u.f != nil && u.f.owner() == f.openFile },
		func(t *fair.Turn) {
			u := t.Owner.(*ticket)
			if u.transfer != nil {
				u.transfer.ticket = nil
			}
			out.add(u)
		},
	)
	granted := k.grantLocked()
	k.mu.Unlock()
	for u := out.pop(); u != nil; u = out.pop() {
		u.reject(eclosed)
	}
	granted.start()
}

// close stops the timer. No ticket waits any more.
func (k *fairQueue) close() {
	k.mu.Lock()
	k.stopTimer()
	k.mu.Unlock()
	k.alarms.Wait()
}
