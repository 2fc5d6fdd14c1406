package sched

import (
	"context"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
)

// turnstile is what has operations take turns, by class: one for each ring, so that
// no device takes up the room of another. While no class was ever made,
// Scheduler.classed is false, and that is all that an operation looks at.
//
// A turn is taken before an operation goes its way (path 2 or 3), and ended when
// its result is there, so that what is in flight is counted whatever its way. Who
// is granted a turn is told by who has made room for it: by the end of another
// operation, by a change of settings, or, where a limit holds it, by the timer.
type turnstile struct {
	number int // its ring's

	mu    sync.Mutex
	queue *fair.Queue // under mu
	// timer calls ring at the time of alarm, when a limit may let another
	// operation begin. Both under mu.
	timer *time.Timer
	alarm time.Duration
	rings sync.WaitGroup // timers that are set, or that ring
	now   func() time.Duration
}

func newTurnstile(number int, now func() time.Duration, c fair.Cap) *turnstile {
	return &turnstile{number: number, queue: fair.New(c), now: now, alarm: fair.Never}
}

// add has c be one of its classes.
func (k *turnstile) add(c *Class, o fair.Settings) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.fair[k.number] = k.queue.Add(k.now(), o)
}

// take waits for the turn of an operation of n bytes. If res is not 0 there is
// none: the file is closing, or ctx has ended.
func (k *turnstile) take(ctx context.Context, c *Class, f *File, n int, beside bool) (u *turn, res int32) {
	u = turns.Get().(*turn)
	u.f, u.Beside = f, beside
	k.push(u, c, n)
	select {
	case <-u.ready:
	default:
		k.await(ctx, u)
	}
	if u.refused != 0 {
		res = u.refused
		u.free()
		return nil, res
	}
	return u, 0
}

// admit returns the turn of an operation that waits for none, and uses the device
// beside the cap.
func (k *turnstile) admit(c *Class, f *File) *turn {
	u := turns.Get().(*turn)
	u.f, u.at = f, k
	k.mu.Lock()
	k.queue.Admit(k.now(), &u.Turn, c.fair[k.number])
	k.mu.Unlock()
	return u
}

// await waits until u may begin or is refused, or until ctx ends.
func (k *turnstile) await(ctx context.Context, u *turn) {
	select {
	case <-u.ready:
	case <-ctx.Done():
		if k.withdraw(u) {
			u.refused = ecanceled
			return
		}
		<-u.ready // it has come meanwhile; the operation sees to its context
	}
}

// push has u wait for its turn, which may come at once, or be refused.
func (k *turnstile) push(u *turn, c *Class, n int) {
	u.at = k
	k.mu.Lock()
	if res := u.barred(); res != 0 {
		k.mu.Unlock()
		u.refuse(res)
		return
	}
	if u.transfer != nil {
		u.transfer.turn = u
	}
	k.queue.Push(k.now(), &u.Turn, c.fair[k.number], n)
	k.passOn()
}

// end ends a turn whose operation gave res.
func (k *turnstile) end(u *turn, res int64) {
	k.mu.Lock()
	k.queue.Done(k.now(), &u.Turn, max(0, res))
	if u.transfer != nil {
		u.transfer.turn = nil // here, as its owner may be withdrawing it
	}
	granted := k.turnOver()
	k.mu.Unlock()
	u.free()
	granted.start()
}

// passOn tells all that may begin to do so, and gives up mu.
func (k *turnstile) passOn() {
	granted := k.turnOver()
	k.mu.Unlock()
	granted.start()
}

// turnOver tells all that may begin to do so, but for Transfers: these it
// returns, to be started without mu. Under mu.
func (k *turnstile) turnOver() (granted turnList) {
	now := k.now()
	for {
		t, again := k.queue.Next(now)
		if t == nil {
			k.ringAt(now, again)
			return granted
		}
		u := t.Owner.(*turn)
		if u.transfer != nil {
			granted.add(u)
		} else {
			u.ready <- struct{}{}
		}
	}
}

// ringAt sees to it that turnOver is called at that time, if none is set for an
// earlier one. Under mu.
func (k *turnstile) ringAt(now, at time.Duration) {
	if at >= k.alarm {
		return
	}
	k.stopTimer()
	k.alarm = at
	k.rings.Add(1)
	k.timer = time.AfterFunc(at-now, k.ring)
}

// ring is what the timer calls.
func (k *turnstile) ring() {
	defer k.rings.Done()
	k.mu.Lock()
	// One that was set meanwhile is for an earlier time, and rings too.
	k.alarm = fair.Never
	k.passOn()
}

// stopTimer stops a timer that is set. Under mu.
func (k *turnstile) stopTimer() {
	if k.timer != nil && k.timer.Stop() {
		k.rings.Done()
	}
	k.timer, k.alarm = nil, fair.Never
}

// withdraw takes u out of the queue, and tells whether it was there.
func (k *turnstile) withdraw(u *turn) bool {
	k.mu.Lock()
	was := k.queue.Withdraw(&u.Turn)
	var granted turnList
	if was {
		granted = k.turnOver() // what waited behind it may be smaller
	}
	k.mu.Unlock()
	granted.start()
	return was
}

// closeFile refuses what waits for its turn with f, which is closing.
func (k *turnstile) closeFile(f *File) {
	var out turnList
	k.mu.Lock()
	k.queue.WithdrawIf(
		func(t *fair.Turn) bool { u := t.Owner.(*turn); return u.f != nil && u.f.whole() == f.openFile },
		func(t *fair.Turn) {
			u := t.Owner.(*turn)
			if u.transfer != nil {
				u.transfer.turn = nil
			}
			out.add(u)
		},
	)
	granted := k.turnOver()
	k.mu.Unlock()
	for u := out.pop(); u != nil; u = out.pop() {
		u.refuse(eclosed)
	}
	granted.start()
}

// close ends the timer. Nothing waits any more.
func (k *turnstile) close() {
	k.mu.Lock()
	k.stopTimer()
	k.mu.Unlock()
	k.rings.Wait()
}
