package sched

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/seed"
)

// passTimes acquires a slot for a device and releases it, n times. It hangs if it gets none.
func (g *limiter) passTimes(t *testing.T, n int, device uint64) {
	t.Helper()
	for range n {
		p, err := g.acquire(t.Context(), device)
		if err != nil {
			t.Fatal(err)
		}
		g.release(p)
	}
}

// fill takes for a device whatever places it can have, and has some wait for it. It
// returns those who are inside.
func (g *limiter) fill(device uint64) (inside []slot) {
	for waiting := 0; waiting < 10; {
		if p, ok := g.enqueue(newWaiterFor(device)); ok {
			inside = append(inside, p)
		} else {
			waiting++
		}
	}
	return inside
}

// Devices that have all places that they can have, and keep them, hold up nobody of
// another, up to so many of them. The first has no more than the limit.
func TestGateOfStalledDevices(t *testing.T) {
	for _, c := range []struct {
		limit   int32
		stalled int
		inside  []int // of each
	}{
		{4, 1, []int{4}},
		{4, 2, []int{4, 1}},
		{64, 2, []int{64, 4}},
		{3, 1, []int{3}},
		{4, 8, []int{4, 1, 1, 1, 1, 1, 1, 1}},
		{64, 8, []int{64, 4, 4, 4, 4, 4, 4, 4}},
		{4, maxQuotas + sharesOnTop - 1, nil},
		{2, 0, nil},
		{1, 0, nil},
	} {
		t.Run(fmt.Sprintf("limit=%d,stalled=%d", c.limit, c.stalled), func(t *testing.T) {
			watch(t)
			g := &limiter{limit: c.limit, onTop: sharesOnTop}
			g.addQuotas(1)
			for i := range c.stalled {
				if got := len(g.fill(uint64(i + 1))); c.inside != nil && got != c.inside[i] {
					t.Errorf("%d are inside for device %d; want %d", got, i+1, c.inside[i])
				}
			}
			g.passTimes(t, 100, 77)
		})
	}
}

// When all rings have been started, a device has what is for all and its own.
func TestGateOfRings(t *testing.T) {
	for rings, want := range map[int]int{1: 4, 2: 3, 3: 2, 4: 2} {
		g := &limiter{limit: 4}
		g.addQuotas(rings)
		if got := len(g.fill(1)); got != want {
			t.Errorf("with %d rings %d are inside; want %d", rings, got, want)
		}
	}
}

// A quota is given to another device when nobody uses it or waits for it, and not
// before.
func TestShareIsGivenOn(t *testing.T) {
	g := &limiter{limit: 4}
	for g.tryAcquire() {
	}
	var held []slot
	for device := uint64(1); device <= maxQuotas; device++ {
		p, ok := g.enqueue(newWaiterFor(device))
		if !ok || p == nil || p.device != device {
			t.Fatalf("join for device %d = %v, %v; want a place of its own", device, p, ok)
		}
		held = append(held, p)
	}
	w := newWaiterFor(9)
	if p, ok := g.enqueue(w); ok {
		t.Fatalf("join for one device too many = %v; want that it waits", p)
	}
	g.remove(w)
	waits := newWaiterFor(1)
	g.enqueue(waits)
	g.release(held[0])
	if c := <-waits.ready; c.handed || c.slot != held[0] || !g.reacquire(waits, c.slot) {
		t.Fatalf("who waits for device 1 was told %+v; want that its own place is free", c)
	}
	if p, ok := g.enqueue(w); ok {
		t.Fatalf("join = %v with all shares in use; want that it waits", p)
	}
	g.release(held[0]) // the waiter without a quota is given it
	if c := <-w.ready; c.handed || c.slot != held[0] || !g.reacquire(w, c.slot) {
		t.Fatalf("who waits for device 9 was told %+v; want that the share that nobody uses is its own", c)
	}
	g.release(held[0])
	w = newWaiterFor(10) // as is who comes then
	if p, ok := g.enqueue(w); !ok || p != held[0] || p.device != 10 {
		t.Fatalf("join = %v, %v with a share that nobody uses; want that", p, ok)
	}
	// Who was told of a place that has become another's has nothing.
	g.release(held[0])
	if waits.device = 1; g.reacquire(waits, held[0]) {
		t.Error("a place of another device was taken")
	}
	for _, p := range held[1:] {
		g.release(p)
	}
	for range 4 {
		g.release(nil)
	}
	g.wantEmpty(t)
}

func newWaiterFor(device uint64) *waiter {
	w := newWaiter()
	w.device = device
	return w
}

// A place of a device's own that becomes free is not lost while somebody waits for
// it, whoever of those that were told gives up, or is quicker elsewhere.
func TestShareWakesNext(t *testing.T) {
	for _, how := range []string{"woken", "handed"} {
		watch(t)
		g := &limiter{limit: 3}
		g.tryAcquire() // for ever
		g.tryAcquire()
		g.tryAcquire()
		own, err := g.acquire(t.Context(), 1)
		if err != nil || own == nil {
			t.Fatalf("enter = %v, %v; want a place of its own", own, err)
		}
		w := newWaiterFor(1)
		if how == "handed" {
			w.overtaken = maxOvertaken
		}
		g.enqueue(w)
		next := g.queueFor(1, t.Context(), 1)[0]
		g.release(own)                 // to w
		g.abandon(w)                   // which goes
		if err := <-next; err != nil { // hangs if the place is lost
			t.Errorf("enter = %v", err)
		}
		g.release(own)
		for range 3 {
			g.release(nil)
		}
		g.wantEmpty(t)
	}
}

// No place is lost, and none is taken twice, whatever devices come, while one keeps
// what it gets until all others are through.
func TestSharesStress(t *testing.T) {
	watch(t)
	for _, limit := range []int32{3, 4, 64} {
		g := &limiter{limit: limit}
		var stalled []slot
		for range limit {
			p, err := g.acquire(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			stalled = append(stalled, p)
		}
		s := seed.Of(t)
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(s, uint64(i)))
				for range 100 {
					ctx, cancel := context.WithCancel(context.Background())
					if rnd.IntN(4) == 0 {
						go cancel()
					}
					if p, err := g.acquire(ctx, 2); err == nil {
						g.release(p)
					} else if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		all.Wait()
		for _, p := range stalled {
			g.release(p)
		}
		g.wantEmpty(t)
	}
}

// Devices whose plain calls do not end, as many as there may be, hold up none of
// another: not writes, not Syncs, not what helpers do. What is on no device is so
// too.
func TestStalledCalls(t *testing.T) {
	watch(t)
	release := make(chan struct{})
	s := New(newScript(8), Limits{Blocking: 4, InlineSyncs: 2})
	s.asyncDirect = [driver.NumCodes]bool{}
	s.rings.device = func(fd int) (uint64, bool) { return uint64(fd), fd > 0 }
	s.call = func(_ driver.Code, fd int, b []byte, _ int64) int32 {
		if fd <= 1 {
			<-release
		}
		return int32(len(b))
	}
	stalled, other := []*File{NewFile(0, true, false), NewFile(1, true, false)}, NewFile(2, true, false)
	var all sync.WaitGroup
	var helped [40]Transfer
	for i := range helped {
		slow := stalled[i%2]
		all.Go(func() {
			if i%4 < 2 {
				if _, err := s.WriteAt(context.Background(), slow, make([]byte, 8), 0); err != nil {
					t.Error(err)
				}
			} else if err := s.Sync(context.Background(), slow); err != nil {
				t.Error(err)
			}
		})
		s.StartExtend(&helped[i], slow, make([]byte, 8), 0)
	}
	eventually(func() bool { return s.limiter.queued.Load() > 0 && s.limiter.inUse() >= 5 })
	for range 100 { // hangs if the others are in the way
		if n, err := s.WriteAt(t.Context(), other, make([]byte, 8), 0); n != 8 || err != nil {
			t.Fatalf("WriteAt = %d, %v; want 8", n, err)
		}
		if err := s.Sync(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if err := s.Datasync(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		var tr Transfer
		s.StartExtend(&tr, other, make([]byte, 8), 0)
		if n, err := tr.Wait(t.Context()); n != 8 || err != nil {
			t.Fatalf("Wait = %d, %v; want 8", n, err)
		}
	}
	if n := s.limiter.inUse(); n > 5 {
		t.Errorf("%d are inside; want 4, and one more of the second device", n)
	}
	close(release)
	all.Wait()
	for i := range helped {
		if n, err := helped[i].Wait(t.Context()); n != 8 || err != nil {
			t.Errorf("Wait = %d, %v; want 8", n, err)
		}
	}
	s.Close()
	s.limiter.wantEmpty(t)
}
