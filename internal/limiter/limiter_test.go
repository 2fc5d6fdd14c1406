package limiter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// No more goroutines have a permit than the limit allows, none waits for ever, and all
// permits are free at the end, whichever contexts end in between.
func TestLimiterStress(t *testing.T) {
	start := seed.Of(t)
	for _, limit := range []int32{1, 2, 4} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Limit%d/GOMAXPROCS%d", limit, procs), func(t *testing.T) {
				hang.Watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				l := &Limiter{base: limit}
				var inside, most atomic.Int32
				var all sync.WaitGroup
				for i := range 32 {
					all.Go(func() {
						rnd := rand.New(rand.NewPCG(start, uint64(i)))
						for range 200 {
							goThrough(l, rnd, &inside, &most)
						}
					})
				}
				all.Wait()
				// Quotas come out of the limit only when goroutines that have shared permits leave.
				if n := most.Load(); n > limit+int32(len(l.quotas)) {
					t.Errorf("%d were inside; the limit is %d, and there are %d quotas", n, limit, len(l.quotas))
				}
				l.wantEmpty(t)
			})
		}
	}
}

// goThrough goes through l once, or gives up.
func goThrough(l *Limiter, rnd *rand.Rand, inside, most *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rnd.IntN(3) == 0 {
		go cancel()
	}
	device := uint64(rnd.IntN(5))
	if device == 0 {
		device = NoDevice
	}
	p, err := l.Acquire(ctx, device, Reads)
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
	l.Release(p)
}

func (l *Limiter) wantEmpty(t *testing.T) {
	t.Helper()
	waiting := l.queue.Len() + l.unassigned.Len()
	for _, s := range l.quotas {
		waiting += s.queue.Len()
	}
	if l.InUse() != 0 || l.queued.Load() != 0 || waiting != 0 {
		t.Errorf("limiter at the end: %d permits taken, %d in the queue", l.InUse(), l.queued.Load())
	}
}

// queueUp makes n goroutines wait for a permit of a full limiter, one after the other. It returns
// the channels that say when each of them has its permit.
func (l *Limiter) queueUp(n int, ctx context.Context) []chan error {
	return l.queueFor(n, ctx, NoDevice)
}

// queueFor is queueUp for a device.
func (l *Limiter) queueFor(n int, ctx context.Context, device uint64) []chan error {
	passed := make([]chan error, n)
	for i := range passed {
		passed[i] = make(chan error, 1)
		before := l.queued.Load()
		go func() { _, err := l.Acquire(ctx, device, Reads); passed[i] <- err }()
		hang.Eventually(func() bool { return l.queued.Load() > before })
	}
	return passed
}

func TestLimiterIsFirstInFirstOut(t *testing.T) {
	hang.Watch(t)
	l := &Limiter{base: 1}
	l.TryAcquire()
	for _, c := range l.queueUp(8, t.Context()) {
		l.Release(Permit{})
		if err := <-c; err != nil {
			t.Errorf("Acquire = %v", err)
		}
	}
	l.Release(Permit{})
	l.wantEmpty(t)
}

// A waiter that is overtaken again and again is handed the permit in the end,
// before those who came later. The test plays all of them.
func TestLimiterStarvesNobody(t *testing.T) {
	l := &Limiter{base: 1}
	l.TryAcquire()
	w, later := newWaiter(), newWaiter()
	l.enqueue(w)
	l.enqueue(later)
	for n := 0; ; n++ {
		if n > maxOvertaken {
			t.Fatalf("overtaken more than %d times", maxOvertaken)
		}
		l.Release(Permit{})
		quicker := l.TryAcquire()
		if (<-w.ready).handed {
			if quicker || n != maxOvertaken {
				t.Errorf("handed the permit after having been overtaken %d times, another has one: %t; want %d, false", n, quicker, maxOvertaken)
			}
			break
		}
		w.overtaken++
		if _, ok := l.enqueue(w); !quicker || ok {
			t.Fatal("the permit was neither free nor taken")
		}
	}
	if len(later.ready) != 0 {
		t.Error("the second waiter was woken first")
	}
	l.Release(Permit{})
	if (<-later.ready).handed || !l.TryAcquire() {
		t.Error("the second waiter was not woken for a free permit")
	}
	l.Release(Permit{})
	l.wantEmpty(t)
}

func TestLimiterContext(t *testing.T) {
	hang.Watch(t)
	l := &Limiter{base: 1}
	ctx, cancel := context.WithCancel(t.Context())
	l.TryAcquire()
	given := l.queueUp(3, ctx)
	kept := l.queueUp(1, t.Context())[0]
	cancel()
	for _, c := range given {
		if err := <-c; err != context.Canceled {
			t.Errorf("Acquire = %v; want context.Canceled", err)
		}
	}
	if l.queued.Load() != 1 {
		t.Errorf("%d in the queue; want 1", l.queued.Load())
	}
	l.Release(Permit{})
	if err := <-kept; err != nil {
		t.Errorf("Acquire = %v; want nil", err)
	}
	l.Release(Permit{})
	l.wantEmpty(t)
}

// A waiter whose context ends at the moment when it is handed a permit, or woken for one,
// passes that on.
func TestLimiterAbandonPassesPermitOn(t *testing.T) {
	for _, handed := range []bool{true, false} {
		hang.Watch(t)
		l := &Limiter{base: 1}
		l.TryAcquire()
		w := newWaiter()
		l.enqueue(w)
		next := l.queueUp(1, t.Context())[0]
		if w.overtaken = maxOvertaken; !handed {
			w.overtaken = 0
		}
		l.Release(Permit{}) // to w
		l.abandon(w)
		if err := <-next; err != nil { // hangs if the permit is lost
			t.Errorf("Acquire = %v", err)
		}
		l.Release(Permit{})
		l.wantEmpty(t)
	}
}

// A permit that is given back between the first look and joining the queue is
// found: the goroutine that released it saw no waiter to wake.
func TestLimiterEnqueueLooksAgain(t *testing.T) {
	l := &Limiter{base: 1}
	if p, ok := l.enqueue(newWaiter()); p != nil || !ok {
		t.Errorf("enqueue = %v, %v with a permit free; want nil, true", p, ok)
	}
	l.Release(Permit{})
	l.wantEmpty(t)
}

// TestWiden: goroutines that wait for a permit of the limiter get one when it is widened.
func TestWiden(t *testing.T) {
	hang.Watch(t)
	l := &Limiter{base: 1}
	if !l.TryAcquire() {
		t.Fatal("TryAcquire = false of an unused limiter")
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := l.Acquire(t.Context(), NoDevice, Reads); err != nil {
				t.Error(err)
			}
		})
	}
	for l.queued.Load() < 3 {
		runtime.Gosched()
	}
	l.Widen(4)
	all.Wait()
	if l.TryAcquire() {
		t.Error("TryAcquire = true with 4 of 4 permits taken")
	}
	l.Widen(2) // is less
	if n := l.Limit(); n != 4 {
		t.Errorf("Limit = %d; want 4", n)
	}
	for range 4 {
		l.Release(Permit{})
	}
}

// A waiter counts how often it was told of a permit and found it taken: enough of
// that, and it is handed one (TestLimiterStarvesNobody).
func TestLimiterCountsWhoIsOvertaken(t *testing.T) {
	hang.Watch(t)
	l := &Limiter{base: 1}
	l.TryAcquire()
	passed := l.queueUp(1, t.Context())[0]
	for n := range 3 {
		l.mu.Lock()
		if w := l.queue.Front(); w.overtaken != n {
			t.Errorf("overtaken %d times, by its own count %d", n, w.overtaken)
		}
		l.notify(l.queue.Front(), wakeup{}) // of a permit that another has
		l.mu.Unlock()
		hang.Eventually(func() bool { return l.queued.Load() == 1 })
	}
	l.Release(Permit{})
	if err := <-passed; err != nil {
		t.Errorf("Acquire = %v", err)
	}
	l.Release(Permit{})
	l.wantEmpty(t)
}

// A limiter without quotas on top of its limit has no more of them than leave a shared permit.
func TestLimiterWithoutQuotasOnTop(t *testing.T) {
	var l Limiter
	l.Init(3, 0)
	for device := range uint64(10) {
		l.fill(device + 1)
	}
	if n := l.InUse(); n != 4 { // 3, and one more of the second device
		t.Errorf("%d permits are taken; want 4", n)
	}
}
