package limiter

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// playedWindows returns Windows whose clock is *now.
func playedWindows(now *time.Duration) *Windows {
	a := new(Windows)
	a.Init(func() time.Duration { return *now })
	return a
}

// begun returns a window with so many calls in progress, all of which it had room for.
func (w *Windows) begun(t *testing.T, n int) *window {
	t.Helper()
	in := &window{all: w, size: max(n, LeastWindow)}
	w.of[windowKey{}] = in
	for range n {
		if _, err := w.enter(t.Context(), windowKey{}); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// A call that returns while others wait makes room for two.
func TestWindowOpens(t *testing.T) {
	hang.Watch(t)
	now := time.Duration(0)
	a := playedWindows(&now)
	w := a.begun(t, LeastWindow)
	entered := make(chan error)
	const waiting = 20
	for range waiting {
		go func() { _, err := a.enter(t.Context(), windowKey{}); entered <- err }()
	}
	hang.Eventually(func() bool { a.mu.Lock(); defer a.mu.Unlock(); return w.queue.Len() == waiting })
	for range waiting / 2 {
		w.leave(true)
		for range 2 {
			if err := <-entered; err != nil { // hangs if there is no room
				t.Errorf("enter = %v", err)
			}
		}
	}
	if want := LeastWindow + waiting/2; w.inside != want || w.size != want {
		t.Errorf("%d calls in progress, room for %d; want %d", w.inside, w.size, want)
	}
}

// A window closes while no call returns, and opens no further than what is used.
func TestWindowCloses(t *testing.T) {
	now := time.Duration(0)
	a := playedWindows(&now)
	w := a.begun(t, 10)
	w.size = 20
	if !w.hasRoom() {
		t.Error("no room at first; want room for 20")
	}
	now = windowSilence + 1
	if w.hasRoom() || w.size != LeastWindow {
		t.Errorf("room for %d when no call has returned for long; want %d", w.size, LeastWindow)
	}
	w.size = 20
	for range 9 {
		w.leave(true)
	}
	if w.size != 11 {
		t.Errorf("room for %d after 9 calls have used less than half; want 11", w.size)
	}
	if now += windowSilence + 1; !w.hasRoom() {
		t.Error("no room beside one call that does not return")
	}
	w.size = 20
	if w.leave(true); w.size != LeastWindow {
		t.Errorf("room for %d when no call is in progress; want %d", w.size, LeastWindow)
	}
}

// A caller that gives up when it has just been let in gives its room back.
func TestWindowGivenUp(t *testing.T) {
	hang.Watch(t)
	now := time.Duration(0)
	a := playedWindows(&now)
	w := a.begun(t, LeastWindow)
	x := newWindowWaiter()
	w.queue.PushBack(&x.links, x)
	ctx, cancel := context.WithCancel(t.Context())
	entered := make(chan error)
	go func() { _, err := a.enter(t.Context(), windowKey{}); entered <- err }()
	hang.Eventually(func() bool { a.mu.Lock(); defer a.mu.Unlock(); return w.queue.Len() == 2 })
	w.leave(false) // lets x in
	cancel()
	if err := w.await(ctx, x); err == nil { // x was quicker
		w.leave(false)
	}
	if err := <-entered; err != nil { // hangs if the room is lost
		t.Errorf("enter = %v", err)
	}
	if w.inside != LeastWindow {
		t.Errorf("%d calls in progress; want %d", w.inside, LeastWindow)
	}
}

// No room is lost, and none is given twice, whoever gives up.
func TestWindowStress(t *testing.T) {
	hang.Watch(t)
	start := seed.Of(t)
	var now atomic.Int64
	a := new(Windows)
	a.Init(func() time.Duration { return time.Duration(now.Add(int64(windowSilence / 8))) })
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(start, uint64(i)))
			for range 300 {
				ctx, cancel := context.WithCancel(context.Background())
				if rnd.IntN(3) == 0 {
					go cancel()
				}
				if w, err := a.enter(ctx, windowKey{device: uint64(rnd.IntN(2))}); err == nil {
					runtime.Gosched()
					w.leave(rnd.IntN(4) > 0)
				}
				cancel()
			}
		})
	}
	all.Wait()
	for k, w := range a.of {
		if w.inside != 0 || w.queue.Len() != 0 || w.size < LeastWindow {
			t.Errorf("device %d at the end: %d calls, %d wait, room for %d", k.device, w.inside, w.queue.Len(), w.size)
		}
	}
}
