package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// No more pass than the limit, nobody is lost, and all places are free at the
// end, whoever gives up in between.
func TestGateStress(t *testing.T) {
	for _, limit := range []int32{1, 2, 4} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Limit%d/GOMAXPROCS%d", limit, procs), func(t *testing.T) {
				watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				g := &gate{limit: limit}
				var inside, most atomic.Int32
				var all sync.WaitGroup
				for i := range 32 {
					all.Go(func() {
						rnd := rand.New(rand.NewPCG(uint64(i), 2))
						for range 200 {
							goThrough(g, rnd, &inside, &most)
						}
					})
				}
				all.Wait()
				// Shares come out of the limit when those who are inside have left.
				if n := most.Load(); n > limit+int32(len(g.shares)) {
					t.Errorf("%d were inside; the limit is %d, and there are %d shares", n, limit, len(g.shares))
				}
				g.wantEmpty(t)
			})
		}
	}
}

// goThrough goes through g once, or gives up.
func goThrough(g *gate, rnd *rand.Rand, inside, most *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rnd.IntN(3) == 0 {
		go cancel()
	}
	device := uint64(rnd.IntN(5))
	if device == 0 {
		device = noDevice
	}
	p, err := g.enter(ctx, device)
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
	g.leave(p)
}

func (g *gate) wantEmpty(t *testing.T) {
	t.Helper()
	waiting := g.queue.Len() + g.without.Len()
	for _, s := range g.shares {
		waiting += s.queue.Len()
	}
	if g.inside() != 0 || g.queued.Load() != 0 || waiting != 0 {
		t.Errorf("gate at the end: %d places taken, %d in the queue", g.inside(), g.queued.Load())
	}
}

// queueUp lets n goroutines wait at a gate that is full, one after the other,
// and returns where each says that it has passed.
func (g *gate) queueUp(n int, ctx context.Context) []chan error {
	return g.queueFor(n, ctx, noDevice)
}

// queueFor is queueUp for a device.
func (g *gate) queueFor(n int, ctx context.Context, device uint64) []chan error {
	passed := make([]chan error, n)
	for i := range passed {
		passed[i] = make(chan error, 1)
		before := g.queued.Load()
		go func() { _, err := g.enter(ctx, device); passed[i] <- err }()
		eventually(func() bool { return g.queued.Load() > before })
	}
	return passed
}

func TestGateIsFirstInFirstOut(t *testing.T) {
	watch(t)
	g := &gate{limit: 1}
	g.take()
	for _, c := range g.queueUp(8, t.Context()) {
		g.leave(nil)
		if err := <-c; err != nil {
			t.Errorf("enter = %v", err)
		}
	}
	g.leave(nil)
	g.wantEmpty(t)
}

// A waiter that is overtaken again and again is handed the place in the end,
// before those who came later. The test plays all of them.
func TestGateStarvesNobody(t *testing.T) {
	g := &gate{limit: 1}
	g.take()
	w, later := newWaiter(), newWaiter()
	g.join(w)
	g.join(later)
	for n := 0; ; n++ {
		if n > patience {
			t.Fatalf("overtaken more than %d times", patience)
		}
		g.leave(nil)
		quicker := g.take()
		if (<-w.ready).handed {
			if quicker || n != patience {
				t.Errorf("handed the place after having been overtaken %d times, another has one: %t; want %d, false", n, quicker, patience)
			}
			break
		}
		w.overtaken++
		if _, ok := g.join(w); !quicker || ok {
			t.Fatal("the place was neither free nor taken")
		}
	}
	if len(later.ready) != 0 {
		t.Error("who came later was woken first")
	}
	g.leave(nil)
	if (<-later.ready).handed || !g.take() {
		t.Error("who came later was not told that a place is free")
	}
	g.leave(nil)
	g.wantEmpty(t)
}

func TestGateContext(t *testing.T) {
	watch(t)
	g := &gate{limit: 1}
	ctx, cancel := context.WithCancel(t.Context())
	g.take()
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
	g.leave(nil)
	if err := <-kept; err != nil {
		t.Errorf("enter = %v; want nil", err)
	}
	g.leave(nil)
	g.wantEmpty(t)
}

// Who gives up at the moment when he is handed a place, or told of one,
// passes it on.
func TestGateGivenUpPlaceGoesOn(t *testing.T) {
	for _, handed := range []bool{true, false} {
		watch(t)
		g := &gate{limit: 1}
		g.take()
		w := newWaiter()
		g.push(w)
		next := g.queueUp(1, t.Context())[0]
		if w.overtaken = patience; !handed {
			w.overtaken = 0
		}
		g.leave(nil) // to w
		g.abandon(w)
		if err := <-next; err != nil { // hangs if the place is lost
			t.Errorf("enter = %v", err)
		}
		g.leave(nil)
		g.wantEmpty(t)
	}
}

// A place that is given back between the first look and joining the queue is
// found: who gave it back saw nobody to wake.
func TestGateJoinLooksAgain(t *testing.T) {
	g := &gate{limit: 1}
	if p, ok := g.join(newWaiter()); p != nil || !ok {
		t.Errorf("join = %v, %v with a place free; want nil, true", p, ok)
	}
	g.leave(nil)
	g.wantEmpty(t)
}
