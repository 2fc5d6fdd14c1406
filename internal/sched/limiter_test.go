package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/seed"
)

// No more pass than the limit, nobody is lost, and all places are free at the
// end, whoever gives up in between.
func TestGateStress(t *testing.T) {
	start := seed.Of(t)
	for _, limit := range []int32{1, 2, 4} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Limit%d/GOMAXPROCS%d", limit, procs), func(t *testing.T) {
				watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				g := &limiter{limit: limit}
				var inside, most atomic.Int32
				var all sync.WaitGroup
				for i := range 32 {
					all.Go(func() {
						rnd := rand.New(rand.NewPCG(start, uint64(i)))
						for range 200 {
							goThrough(g, rnd, &inside, &most)
						}
					})
				}
				all.Wait()
				// Quotas come out of the limit only when goroutines that have shared slots leave.
				if n := most.Load(); n > limit+int32(len(g.quotas)) {
					t.Errorf("%d were inside; the limit is %d, and there are %d shares", n, limit, len(g.quotas))
				}
				g.wantEmpty(t)
			})
		}
	}
}

// goThrough goes through g once, or gives up.
func goThrough(g *limiter, rnd *rand.Rand, inside, most *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rnd.IntN(3) == 0 {
		go cancel()
	}
	device := uint64(rnd.IntN(5))
	if device == 0 {
		device = noDevice
	}
	p, err := g.acquire(ctx, device)
	if err != nil {
		return
	}
	n := inside.Add(1)
	for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
	}
	if rnd.IntN(4) == 0 {
		runtime.Gosched()
	}
	inside.Add(-1)
	g.release(p)
}

func (g *limiter) wantEmpty(t *testing.T) {
	t.Helper()
	waiting := g.queue.Len() + g.unassigned.Len()
	for _, s := range g.quotas {
		waiting += s.queue.Len()
	}
	if g.inUse() != 0 || g.queued.Load() != 0 || waiting != 0 {
		t.Errorf("gate at the end: %d places taken, %d in the queue", g.inUse(), g.queued.Load())
	}
}

// queueUp makes n goroutines wait for a slot of a full limiter, one after the other. It returns
// the channels that say when each of them has its slot.
func (g *limiter) queueUp(n int, ctx context.Context) []chan error {
	return g.queueFor(n, ctx, noDevice)
}

// queueFor is queueUp for a device.
func (g *limiter) queueFor(n int, ctx context.Context, device uint64) []chan error {
	passed := make([]chan error, n)
	for i := range passed {
		passed[i] = make(chan error, 1)
		before := g.queued.Load()
		go func() { _, err := g.acquire(ctx, device); passed[i] <- err }()
		eventually(func() bool { return g.queued.Load() > before })
	}
	return passed
}

func TestGateIsFirstInFirstOut(t *testing.T) {
	watch(t)
	g := &limiter{limit: 1}
	g.tryAcquire()
	for _, c := range g.queueUp(8, t.Context()) {
		g.release(nil)
		if err := <-c; err != nil {
			t.Errorf("enter = %v", err)
		}
	}
	g.release(nil)
	g.wantEmpty(t)
}

// A waiter that is overtaken again and again is handed the place in the end,
// before those who came later. The test plays all of them.
func TestGateStarvesNobody(t *testing.T) {
	g := &limiter{limit: 1}
	g.tryAcquire()
	w, later := newWaiter(), newWaiter()
	g.enqueue(w)
	g.enqueue(later)
	for n := 0; ; n++ {
		if n > maxOvertaken {
			t.Fatalf("overtaken more than %d times", maxOvertaken)
		}
		g.release(nil)
		quicker := g.tryAcquire()
		if (<-w.ready).handed {
			if quicker || n != maxOvertaken {
				t.Errorf("handed the place after having been overtaken %d times, another has one: %t; want %d, false", n, quicker, maxOvertaken)
			}
			break
		}
		w.overtaken++
		if _, ok := g.enqueue(w); !quicker || ok {
			t.Fatal("the place was neither free nor taken")
		}
	}
	if len(later.ready) != 0 {
		t.Error("who came later was woken first")
	}
	g.release(nil)
	if (<-later.ready).handed || !g.tryAcquire() {
		t.Error("who came later was not told that a place is free")
	}
	g.release(nil)
	g.wantEmpty(t)
}

func TestGateContext(t *testing.T) {
	watch(t)
	g := &limiter{limit: 1}
	ctx, cancel := context.WithCancel(t.Context())
	g.tryAcquire()
	given := g.queueUp(3, ctx)
	kept := g.queueUp(1, t.Context())[0]
	cancel()
	for _, c := range given {
		if err := <-c; err != context.Canceled {
			t.Errorf("enter = %v; want context.Canceled", err)
		}
	}
	if g.queued.Load() != 1 {
		t.Errorf("%d in the queue; want 1", g.queued.Load())
	}
	g.release(nil)
	if err := <-kept; err != nil {
		t.Errorf("enter = %v; want nil", err)
	}
	g.release(nil)
	g.wantEmpty(t)
}

// Who gives up at the moment when he is handed a place, or told of one,
// passes it on.
func TestGateGivenUpPlaceGoesOn(t *testing.T) {
	for _, handed := range []bool{true, false} {
		watch(t)
		g := &limiter{limit: 1}
		g.tryAcquire()
		w := newWaiter()
		g.push(w)
		next := g.queueUp(1, t.Context())[0]
		if w.overtaken = maxOvertaken; !handed {
			w.overtaken = 0
		}
		g.release(nil) // to w
		g.abandon(w)
		if err := <-next; err != nil { // hangs if the place is lost
			t.Errorf("enter = %v", err)
		}
		g.release(nil)
		g.wantEmpty(t)
	}
}

// A place that is given back between the first look and joining the queue is
// found: who gave it back saw nobody to wake.
func TestGateJoinLooksAgain(t *testing.T) {
	g := &limiter{limit: 1}
	if p, ok := g.enqueue(newWaiter()); p != nil || !ok {
		t.Errorf("join = %v, %v with a place free; want nil, true", p, ok)
	}
	g.release(nil)
	g.wantEmpty(t)
}
