package sched

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/seed"
)

// stalling returns a Scheduler of plain calls that lets 64 through, and whose calls for the
// file with descriptor 1 end when release is closed. Calls counts those that have begun.
func stalling(release chan struct{}, calls *atomic.Int32) *Scheduler {
	s := New(newScript(8), Limits{Blocking: 64, InlineSyncs: 2})
	s.asyncDirect = [driver.NumCodes]bool{}
	s.rings.device = func(fd int) (uint64, bool) { return uint64(fd), true }
	s.call = func(_ driver.Code, fd int, b []byte, _ int64) int32 {
		if fd == 1 {
			calls.Add(1)
			<-release
		}
		return int32(len(b))
	}
	return s
}

// Of the calls of a kind to a device that does not answer few have begun when their contexts
// end. The others return then, before the device answers. Those of another device go on.
func TestStalledCallsAreWithdrawn(t *testing.T) {
	watch(t)
	release := make(chan struct{})
	var calls atomic.Int32
	s := stalling(release, &calls)
	stalled, other := NewFile(1, true, false), NewFile(2, true, false)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const each, begun = 20, 2 * windowLeast // writes are of one kind, syncs of another
	for range each {
		first, second := NewFile(1, true, false), NewFile(1, true, false) // Syncs of a file would share a call
		go func() { _, err := s.WriteAt(ctx, stalled, make([]byte, 8), 0); ended <- err }()
		go func() { ended <- s.Sync(ctx, first) }()
		go func() { ended <- s.Datasync(ctx, second) }()
	}
	waiting := func() (n int) {
		s.windows.mu.Lock()
		defer s.windows.mu.Unlock()
		for _, w := range s.windows.of {
			n += w.queue.Len()
		}
		return n
	}
	eventually(func() bool { return calls.Load() == begun && waiting() == 3*each-begun })
	for range 100 { // hangs if the others are in the way
		if n, err := s.WriteAt(ctx, other, make([]byte, 8), 0); n != 8 || err != nil {
			t.Fatalf("WriteAt = %d, %v; want 8", n, err)
		}
	}
	cancel()
	for range 3*each - begun { // hangs if one waits for the device
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a call = %v; want context.Canceled", err)
		}
	}
	close(release)
	for range begun {
		<-ended
	}
	if n := calls.Load(); n > begun {
		t.Errorf("%d calls were made; want at most %d", n, begun)
	}
	s.limiter.wantEmpty(t)
	for k, w := range s.windows.of {
		if w.inside != 0 {
			t.Errorf("%d calls of %v are counted at the end; want 0", w.inside, k)
		}
	}
}

// playedWindows returns windows whose clock is *now.
func playedWindows(now *time.Duration) *windows {
	a := new(windows)
	a.init(func() time.Duration { return *now })
	return a
}

// begun returns a window with so many calls in progress, all of which it had room for.
func (a *windows) begun(t *testing.T, n int) *window {
	t.Helper()
	w := &window{all: a, size: max(n, windowLeast)}
	a.of[windowKey{}] = w
	for range n {
		if _, err := a.enter(t.Context(), windowKey{}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// A call that returns while others wait makes room for two.
func TestWindowOpens(t *testing.T) {
	watch(t)
	now := time.Duration(0)
	a := playedWindows(&now)
	w := a.begun(t, windowLeast)
	entered := make(chan error)
	const waiting = 20
	for range waiting {
		go func() { _, err := a.enter(t.Context(), windowKey{}); entered <- err }()
	}
	eventually(func() bool { a.mu.Lock(); defer a.mu.Unlock(); return w.queue.Len() == waiting })
	for range waiting / 2 {
		w.leave(true)
		for range 2 {
			if err := <-entered; err != nil { // hangs if there is no room
				t.Errorf("enter = %v", err)
			}
		}
	}
	if want := windowLeast + waiting/2; w.inside != want || w.size != want {
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
	if w.hasRoom() || w.size != windowLeast {
		t.Errorf("room for %d when no call has returned for long; want %d", w.size, windowLeast)
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
	if w.leave(true); w.size != windowLeast {
		t.Errorf("room for %d when no call is in progress; want %d", w.size, windowLeast)
	}
}

// A caller that gives up when it has just been let in gives its room back.
func TestWindowGivenUp(t *testing.T) {
	watch(t)
	now := time.Duration(0)
	a := playedWindows(&now)
	w := a.begun(t, windowLeast)
	x := &windowWaiter{ready: make(chan struct{}, 1)}
	w.queue.PushBack(&x.links, x)
	ctx, cancel := context.WithCancel(t.Context())
	entered := make(chan error)
	go func() { _, err := a.enter(t.Context(), windowKey{}); entered <- err }()
	eventually(func() bool { a.mu.Lock(); defer a.mu.Unlock(); return w.queue.Len() == 2 })
	w.leave(false) // lets x in
	cancel()
	if err := w.await(ctx, x); err == nil { // x was quicker
		w.leave(false)
	}
	if err := <-entered; err != nil { // hangs if the room is lost
		t.Errorf("enter = %v", err)
	}
	if w.inside != windowLeast {
		t.Errorf("%d calls in progress; want %d", w.inside, windowLeast)
	}
}

// No room is lost, and none is given twice, whoever gives up.
func TestWindowStress(t *testing.T) {
	watch(t)
	start := seed.Of(t)
	var now atomic.Int64
	a := new(windows)
	a.init(func() time.Duration { return time.Duration(now.Add(int64(windowSilence / 8))) })
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
		if w.inside != 0 || w.queue.Len() != 0 || w.size < windowLeast {
			t.Errorf("device %d at the end: %d calls, %d wait, room for %d", k.device, w.inside, w.queue.Len(), w.size)
		}
	}
}
