package sched

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// fullGate returns a gate with n waiters, and them.
func fullGate(n int) (g *gate, queue []*waiter) {
	g = &gate{limit: 1}
	g.take()
	for range n {
		w := newWaiter()
		g.join(w)
		queue = append(queue, w)
	}
	return g, queue
}

// wantQueue fails the test unless queue waits, forwards and backwards.
func (g *gate) wantQueue(t *testing.T, queue []*waiter) {
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
	rnd := rand.New(rand.NewPCG(1, 2))
	g, want := fullGate(0)
	for range 20000 {
		switch i := rnd.IntN(len(want) + 1); {
		case rnd.IntN(3) > 0 && i < len(want): // one gives up
			g.withdraw(want[i])
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
			if w := queue[i]; !g.withdraw(w) || g.withdraw(w) {
				t.Errorf("waiter %d of %d was not there, or twice", i, n)
			}
			g.wantQueue(t, slices.Delete(queue, i, i+1))
		}
		for _, overtaken := range []int{0, patience} {
			g, queue := fullGate(n)
			queue[0].overtaken = overtaken
			g.leave(nil)
			if g.withdraw(queue[0]) {
				t.Errorf("the first of %d was there after its turn", n)
			}
			g.wantQueue(t, queue[1:])
		}
	}
}
