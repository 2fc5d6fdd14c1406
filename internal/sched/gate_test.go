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
							pass(g, rnd, &inside, &most)
						}
					})
				}
				all.Wait()
				if most.Load() > limit {
					t.Errorf("%d were inside; the limit is %d", most.Load(), limit)
				}
				g.wantEmpty(t)
			})
		}
	}
}

// pass goes through g once, or gives up.
func pass(g *gate, rnd *rand.Rand, inside, most *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rnd.IntN(3) == 0 {
		go cancel()
	}
	if g.enter(ctx) != nil {
		return
	}
	n := inside.Add(1)
	for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
	}
	if rnd.IntN(4) == 0 {
		runtime.Gosched()
	}
	inside.Add(-1)
	g.leave()
}

func (g *gate) wantEmpty(t *testing.T) {
	t.Helper()
	if g.used.Load() != 0 || g.queued.Load() != 0 || g.queue.Len() != 0 {
		t.Errorf("gate at the end: %d places taken, %d in the queue", g.used.Load(), g.queued.Load())
	}
}

// queueUp lets n goroutines wait at a gate that is full, one after the other,
// and returns where each says that it has passed.
func (g *gate) queueUp(n int, ctx context.Context) []chan error {
	passed := make([]chan error, n)
	for i := range passed {
		passed[i] = make(chan error, 1)
		before := g.queued.Load()
		go func() { passed[i] <- g.enter(ctx) }()
		eventually(func() bool { return g.queued.Load() > before })
	}
	return passed
}

func TestGateIsFirstInFirstOut(t *testing.T) {
	watch(t)
	g := &gate{limit: 1}
	g.take()
	for _, c := range g.queueUp(8, t.Context()) {
		g.leave()
		if err := <-c; err != nil {
			t.Errorf("enter = %v", err)
		}
	}
	g.leave()
	g.wantEmpty(t)
}

// A waiter that is overtaken again and again is handed the place in the end,
// before those who came later. The test plays all of them.
func TestGateStarvesNobody(t *testing.T) {
	g := &gate{limit: 1}
	g.take()
	w, later := &waiter{ready: make(chan bool, 1)}, &waiter{ready: make(chan bool, 1)}
	g.join(w)
	g.join(later)
	for n := 0; ; n++ {
		if n > patience {
			t.Fatalf("overtaken more than %d times", patience)
		}
		g.leave()
		quicker := g.take()
		if handed := <-w.ready; handed {
			if quicker || n != patience {
				t.Errorf("handed the place after having been overtaken %d times, another has one: %t; want %d, false", n, quicker, patience)
			}
			break
		}
		w.overtaken++
		if !quicker || g.join(w) {
			t.Fatal("the place was neither free nor taken")
		}
	}
	if len(later.ready) != 0 {
		t.Error("who came later was woken first")
	}
	g.leave()
	if <-later.ready || !g.take() {
		t.Error("who came later was not told that a place is free")
	}
	g.leave()
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
	g.leave()
	if err := <-kept; err != nil {
		t.Errorf("enter = %v; want nil", err)
	}
	g.leave()
	g.wantEmpty(t)
}

// Who gives up at the moment when he is handed a place, or told of one,
// passes it on.
func TestGateGivenUpPlaceGoesOn(t *testing.T) {
	for _, handed := range []bool{true, false} {
		watch(t)
		g := &gate{limit: 1}
		g.take()
		w := &waiter{ready: make(chan bool, 1)}
		g.push(w)
		next := g.queueUp(1, t.Context())[0]
		if w.overtaken = patience; !handed {
			w.overtaken = 0
		}
		g.leave() // to w
		g.abandon(w)
		if err := <-next; err != nil { // hangs if the place is lost
			t.Errorf("enter = %v", err)
		}
		g.leave()
		g.wantEmpty(t)
	}
}

// A place that is given back between the first look and joining the queue is
// found: who gave it back saw nobody to wake.
func TestGateJoinLooksAgain(t *testing.T) {
	g := &gate{limit: 1}
	if w := (&waiter{ready: make(chan bool, 1)}); !g.join(w) {
		t.Error("join = false with a place free; want true")
	}
	g.leave()
	g.wantEmpty(t)
}
