package limiter

import (
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/test/seed"
)

// fullLimiter returns a full limiter with n waiters, and these waiters.
func fullLimiter(n int) (l *Limiter, queue []*waiter) {
	l = &Limiter{base: 1}
	l.TryAcquire()
	for range n {
		w := newWaiter()
		l.enqueue(w)
		queue = append(queue, w)
	}
	return l, queue
}

// wantQueue fails the test unless queue waits, forwards and backwards.
func (l *Limiter) wantQueue(t *testing.T, queue []*waiter) {
	t.Helper()
	var forwards, backwards []*waiter
	for w := l.queue.Front(); w != nil; w = w.links.Next() {
		forwards = append(forwards, w)
	}
	for w := l.queue.Back(); w != nil; w = w.links.Prev() {
		backwards = append(backwards, w)
	}
	slices.Reverse(backwards)
	if !slices.Equal(forwards, queue) || !slices.Equal(backwards, queue) || int(l.queued.Load()) != len(queue) {
		t.Fatalf("%d waiters forwards, %d backwards, %d counted; want %d others",
			len(forwards), len(backwards), l.queued.Load(), len(queue))
	}
}

// The queue does what a slice does, for any order of calls.
func TestLimiterQueue(t *testing.T) {
	rnd := seed.Rand(t)
	l, want := fullLimiter(0)
	for range 20000 {
		switch i := rnd.IntN(len(want) + 1); {
		case rnd.IntN(3) > 0 && i < len(want): // one gives up
			l.remove(want[i])
			want = slices.Delete(want, i, i+1)
		case rnd.IntN(3) > 0: // one comes
			w := newWaiter()
			l.queued.Add(1)
			l.push(w)
			want = append(want, w)
		default: // one comes back that has been overtaken
			w := newWaiter()
			w.overtaken = 1
			l.queued.Add(1)
			l.push(w)
			want = slices.Insert(want, 0, w)
		}
		l.wantQueue(t, want)
	}
}

// A waiter is there once, wherever it stands, and not when it has been woken
// or handed a permit.
func TestLimiterWithdraw(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for i := range n {
			l, queue := fullLimiter(n)
			if w := queue[i]; !l.remove(w) || l.remove(w) {
				t.Errorf("waiter %d of %d was not there, or twice", i, n)
			}
			l.wantQueue(t, slices.Delete(queue, i, i+1))
		}
		for _, overtaken := range []int{0, maxOvertaken} {
			l, queue := fullLimiter(n)
			queue[0].overtaken = overtaken
			l.Release(Permit{})
			if l.remove(queue[0]) {
				t.Errorf("the first of %d was there after it was woken", n)
			}
			l.wantQueue(t, queue[1:])
		}
	}
}
