package limiter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// passTimes acquires a permit for a device and releases it, n times. It hangs if it gets none.
func (l *Limiter) passTimes(t *testing.T, n int, device uint64) {
	t.Helper()
	for range n {
		p, err := l.Acquire(t.Context(), device, Reads)
		if err != nil {
			t.Fatal(err)
		}
		l.Release(p)
	}
}

// fill takes for a device whatever permits it can have, and has some wait for it. It
// returns those who are inside.
func (l *Limiter) fill(device uint64) (inside []*deviceQuota) {
	for waiting := 0; waiting < 10; {
		if p, ok := l.enqueue(newWaiterFor(device)); ok {
			inside = append(inside, p)
		} else {
			waiting++
		}
	}
	return inside
}

// Devices that have all permits that they can have, and keep them, hold up nobody of
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
		{4, maxQuotas + QuotasOnTop - 1, nil},
		{2, 0, nil},
		{1, 0, nil},
	} {
		t.Run(fmt.Sprintf("limit=%d,stalled=%d", c.limit, c.stalled), func(t *testing.T) {
			hang.Watch(t)
			l := &Limiter{base: c.limit, onTop: QuotasOnTop}
			l.AddQuotas(1)
			for i := range c.stalled {
				if got := len(l.fill(uint64(i + 1))); c.inside != nil && got != c.inside[i] {
					t.Errorf("%d are inside for device %d; want %d", got, i+1, c.inside[i])
				}
			}
			l.passTimes(t, 100, 77)
		})
	}
}

// Once the limiter is widened a device has as many permits of its own as in a limiter that was
// as large from the beginning.
func TestWidenedQuotas(t *testing.T) {
	for _, quotas := range []int{1, maxQuotas} {
		l := &Limiter{base: 4, onTop: QuotasOnTop}
		l.AddQuotas(quotas)
		l.Widen(64)
		want := 64 - 4*(quotas-1) // all but what is reserved for other devices
		if first, second := len(l.fill(1)), len(l.fill(2)); first != want || second != 4 {
			t.Errorf("with %d quotas %d are inside for device 1 and %d for device 2; want %d and 4", quotas, first, second, want)
		}
	}
}

// Those who wait for a permit of a quota get one when the limiter is widened.
func TestWidenWakesForQuotas(t *testing.T) {
	l := &Limiter{base: 4, onTop: QuotasOnTop}
	l.AddQuotas(1)
	l.fill(1)
	if n := len(l.fill(2)); n != 1 {
		t.Fatalf("%d are inside for device 2; want 1", n)
	}
	waits := l.queue.Back() // the last of 10 for device 2, behind all of device 1
	l.Widen(16 * 11)
	if c := <-waits.ready; c.quota == nil || c.quota.device != 2 {
		t.Errorf("the last waiter was sent %+v; want that a permit of its device is free", c)
	}
}

// When all rings have been started, a device has what is for all and its own.
func TestGateOfRings(t *testing.T) {
	for rings, want := range map[int]int{1: 4, 2: 3, 3: 2, 4: 2} {
		l := &Limiter{base: 4}
		l.AddQuotas(rings)
		if got := len(l.fill(1)); got != want {
			t.Errorf("with %d rings %d are inside; want %d", rings, got, want)
		}
	}
}

// A quota is given to another device when nobody uses it or waits for it, and not
// before.
func TestQuotaIsGivenOn(t *testing.T) {
	l := &Limiter{base: 4}
	for l.TryAcquire() {
	}
	var held []*deviceQuota
	for device := uint64(1); device <= maxQuotas; device++ {
		p, ok := l.enqueue(newWaiterFor(device))
		if !ok || p == nil || p.device != device {
			t.Fatalf("enqueue for device %d = %v, %v; want a permit of its own quota", device, p, ok)
		}
		held = append(held, p)
	}
	w := newWaiterFor(9)
	if p, ok := l.enqueue(w); ok {
		t.Fatalf("enqueue for one device too many = %v; want that it waits", p)
	}
	l.remove(w)
	waits := newWaiterFor(1)
	l.enqueue(waits)
	l.Release(Permit{quota: held[0]})
	if c := <-waits.ready; c.handed || c.quota != held[0] || !l.reacquire(waits, c.quota) {
		t.Fatalf("the waiter for device 1 was sent %+v; want that its own permit is free", c)
	}
	if p, ok := l.enqueue(w); ok {
		t.Fatalf("enqueue = %v with all quotas in use; want that it waits", p)
	}
	l.Release(Permit{quota: held[0]}) // the waiter without a quota is given it
	if c := <-w.ready; c.handed || c.quota != held[0] || !l.reacquire(w, c.quota) {
		t.Fatalf("the waiter for device 9 was sent %+v; want that the quota that nobody uses is its own", c)
	}
	l.Release(Permit{quota: held[0]})
	w = newWaiterFor(10) // as is a waiter that comes then
	if p, ok := l.enqueue(w); !ok || p != held[0] || p.device != 10 {
		t.Fatalf("enqueue = %v, %v with a quota that nobody uses; want that", p, ok)
	}
	// A waiter that was woken for a permit that is another device's by now has nothing.
	l.Release(Permit{quota: held[0]})
	if waits.device = 1; l.reacquire(waits, held[0]) {
		t.Error("a permit of another device was taken")
	}
	for _, p := range held[1:] {
		l.Release(Permit{quota: p})
	}
	for range 4 {
		l.Release(Permit{})
	}
	l.wantEmpty(t)
}

// A device is given one quota, though several of its calls wait for one: a device that hangs does not have them all.
func TestOneQuotaForEachDevice(t *testing.T) {
	for _, limit := range []int32{5, 64} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			l := &Limiter{base: limit}
			var quotas []*deviceQuota
			for device := uint64(1); device <= maxQuotas; device++ {
				for l.TryAcquire() {
				}
				q, ok := l.enqueue(newWaiterFor(device))
				if !ok || q == nil {
					t.Fatalf("enqueue for device %d = %v, %v; want a permit of its own quota", device, q, ok)
				}
				quotas = append(quotas, q)
			}
			hung := make([]*waiter, 6)
			for i := range hung {
				hung[i] = newWaiterFor(8)
				if q, ok := l.enqueue(hung[i]); ok {
					t.Fatalf("enqueue with all quotas in use = %v; want that it waits", q)
				}
			}
			other := newWaiterFor(9)
			if q, ok := l.enqueue(other); ok {
				t.Fatalf("enqueue with all quotas in use = %v; want that it waits", q)
			}
			l.Release(Permit{quota: quotas[0]})
			for i := range min(int(quotas[0].size), len(hung)) { // all its permits are offered
				select {
				case c := <-hung[i].ready:
					if c.quota != quotas[0] || !l.reacquire(hung[i], c.quota) {
						t.Errorf("the first waiter's device was offered %+v; want the first quota", c)
					}
				default:
					t.Errorf("waiter %d of the device that has the quota is not offered a permit", i)
				}
			}
			for i := int(quotas[0].size); i < len(hung); i++ {
				if len(hung[i].ready) > 0 {
					t.Errorf("waiter %d is offered a permit of a quota of %d", i, quotas[0].size)
				}
			}
			l.Release(Permit{quota: quotas[1]})
			select {
			case c := <-other.ready:
				if c.quota != quotas[1] || !l.reacquire(other, c.quota) {
					t.Errorf("the other device was offered %+v; want the second quota", c)
				}
			default:
				t.Error("the second quota was not offered to the other device")
			}
		})
	}
}

func newWaiterFor(device uint64) *waiter {
	w := newWaiter()
	w.device = device
	return w
}

// A permit of a device's quota that becomes free is not lost while somebody waits for
// it, whichever of the woken waiters gives up, or is quicker elsewhere.
func TestQuotaWakesNext(t *testing.T) {
	for _, how := range []string{"woken", "handed"} {
		hang.Watch(t)
		l := &Limiter{base: 3}
		l.TryAcquire() // for ever
		l.TryAcquire()
		l.TryAcquire()
		own, err := l.Acquire(t.Context(), 1, Reads)
		if err != nil || own.quota == nil {
			t.Fatalf("Acquire = %v, %v; want a permit of its own quota", own, err)
		}
		w := newWaiterFor(1)
		if how == "handed" {
			w.overtaken = maxOvertaken
		}
		l.enqueue(w)
		next := l.queueFor(1, t.Context(), 1)[0]
		l.Release(own)                 // to w
		l.abandon(w)                   // which goes
		if err := <-next; err != nil { // hangs if the permit is lost
			t.Errorf("Acquire = %v", err)
		}
		l.Release(own)
		for range 3 {
			l.Release(Permit{})
		}
		l.wantEmpty(t)
	}
}

// No permit is lost, and none is taken twice, whatever devices come, while one keeps
// what it gets until all others are through.
func TestQuotasStress(t *testing.T) {
	hang.Watch(t)
	for _, limit := range []int32{3, 4, 64} {
		l := &Limiter{base: limit}
		var stalled []Permit
		for range limit {
			p, err := l.Acquire(t.Context(), 1, Reads)
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
					if p, err := l.Acquire(ctx, 2, Reads); err == nil {
						l.Release(p)
					} else if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		all.Wait()
		for _, p := range stalled {
			l.Release(p)
		}
		l.wantEmpty(t)
	}
}

// Permits of a device's quota that are taken count against the bound of TryAcquireOfQuota, as the shared ones do.
func TestTryAcquireOfQuotaCountsBoth(t *testing.T) {
	l := &Limiter{base: 64} // with a quota of 4
	l.AddQuotas(1)
	const most = 4
	for range 2 {
		if !l.TryAcquire() {
			t.Fatal("no shared permit is free")
		}
	}
	for i, want := range []bool{true, true, false} {
		if _, ok := l.TryAcquireOfQuota(1, most); ok != want {
			t.Errorf("with 2 shared permits and %d of the quota taken: %v; want %v, as %d is the most", i, ok, want, most)
		}
	}
}
