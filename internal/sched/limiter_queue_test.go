package sched

import (
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/seed"
)

// fullGate returns a full limiter with n waiters, and these waiters.
func fullGate(n int) (g *limiter, queue []*waiter) {
	g = &limiter{limit: 1}
	g.tryAcquire()
	for range n {
		w := newWaiter()
		g.enqueue(w)
		queue = append(queue, w)
	}
	return g, queue
}

// wantQueue fails the test unless queue waits, forwards and backwards.
func (g *limiter) wantQueue(t *testing.T, queue []*waiter) {
	t.Helper()
	var forwards, backwards []*waiter
	for w := g.queue.Front(); w != nil; w = w.links.Next() {
		forwards = append(forwards, w)
	}
	for w := g.queue.Back(); w != nil; w = w.links.Prev() {
		backwards = append(backwards, w)
	}
	slices.Reverse(backwards)
	if !slices.Equal(forwards, queue) || !slices.Equal(backwards, queue) || int(g.queued.Load()) != len(queue) {
		t.Fatalf("%d waiters forwards, %d backwards, %d counted; want %d others",
			len(forwards), len(backwards), g.queued.Load(), len(queue))
	}
}

// The queue does what a slice does, for any order of calls.
func TestGateQueue(t *testing.T) {
	rnd := seed.Rand(t)
	g, want := fullGate(0)
	for range 20000 {
		switch i := rnd.IntN(len(want) + 1); {
		case rnd.IntN(3) > 0 && i < len(want): // one gives up
			g.remove(want[i])
			want = slices.Delete(want, i, i+1)
		case rnd.IntN(3) > 0: // one comes
			w := newWaiter()
			g.push(w)
			want = append(want, w)
		default: // one comes back that has been overtaken
			w := newWaiter()
			w.overtaken = 1
			g.push(w)
			want = slices.Insert(want, 0, w)
		}
		g.wantQueue(t, want)
	}
}

// A waiter is there once, wherever it stands, and not when it has been woken
// or handed a place.
func TestGateWithdraw(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for i := range n {
			g, queue := fullGate(n)
			if w := queue[i]; !g.remove(w) || g.remove(w) {
				t.Errorf("waiter %d of %d was not there, or twice", i, n)
			}
			g.wantQueue(t, slices.Delete(queue, i, i+1))
		}
		for _, overtaken := range []int{0, maxOvertaken} {
			g, queue := fullGate(n)
			queue[0].overtaken = overtaken
			g.release(nil)
			if g.remove(queue[0]) {
				t.Errorf("the first of %d was there after its turn", n)
			}
			g.wantQueue(t, queue[1:])
		}
	}
}
