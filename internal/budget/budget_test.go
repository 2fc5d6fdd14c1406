package budget

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

// world is the Budgets of a test.
type world struct {
	all All
	of  []*Budget
}

// newWorld returns n Budgets of a program with so many processors.
func newWorld(n, procs, most int) *world {
	w := new(world)
	w.all.Init(most, func() int { return procs })
	for range n {
		b := new(Budget)
		b.Init(&w.all)
		w.of = append(w.of, b)
	}
	return w
}

// fill takes all permits for calls of a kind.
func (b *Budget) fill(k Kind) (all []Permit) {
	for {
		p, ok := b.TryAcquire(k)
		if !ok {
			return all
		}
		all = append(all, p)
	}
}

func release(all ...Permit) {
	for _, p := range all {
		p.Release()
	}
}

// wantEmpty fails the test unless no permit is taken and nobody waits.
func (w *world) wantEmpty(t *testing.T) {
	t.Helper()
	for i, b := range w.of {
		if taken(b.used.Load()) != 0 || b.waiting.Load() != 0 {
			t.Errorf("budget %d at the end: %x taken, %d wait", i, b.used.Load(), b.waiting.Load())
		}
		for k := range b.queues {
			if n := b.queues[k].Len(); n != 0 {
				t.Errorf("budget %d at the end: %d in queue %d", i, n, k)
			}
		}
	}
	if a := &w.all; a.used != 0 || a.starved.Len() != 0 {
		t.Errorf("at the end: %d taken, goroutines wait for %d budgets", a.used, a.starved.Len())
	}
}

// A Budget has as many permits as processors, at least Least, and Parallel once it was widened.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		procs, most, want, widened int
	}{
		{1, 0, 16, 64},
		{2, 0, 16, 64},
		{8, 0, 16, 64},
		{32, 0, 32, 64},
		{96, 0, 96, 96},
		{2, 5, 5, 5},
		{2, 40, 16, 40},
		{2, 4096, 16, 64},
		{100_000, 0, Most, Most},
	} {
		w := newWorld(2, c.procs, c.most)
		if n := len(w.of[0].fill(Reads)); n != c.want {
			t.Errorf("%+v: %d permits", c, n)
		}
		if w.all.used = 0; c.most == 0 { // gives back the permits of the first
			if n := len(w.of[1].fill(Reads)); n != c.want {
				t.Errorf("%+v: %d permits of the second", c, n)
			}
		}
		w.of[0].Widen()
		if n := w.of[0].Limit(); int(n) != c.widened {
			t.Errorf("%+v: %d permits once widened", c, n)
		}
	}
}

// Each kind of call leaves permits to each other kind, and to reads. Reads may have all.
func TestKinds(t *testing.T) {
	w := newWorld(1, 2, 0)
	b := w.of[0]
	for k, want := range map[Kind]int{Reads: 16, Writes: 13, Syncs: 13, Changes: 13} {
		all := b.fill(k)
		if len(all) != want {
			t.Errorf("kind %d has %d permits; want %d", k, len(all), want)
		}
		for other := range Kinds {
			if p, ok := b.TryAcquire(other); ok != (k != Reads && other != k) {
				t.Errorf("with all permits of kind %d taken, there is one for kind %d: %t", k, other, ok)
			} else if ok {
				p.Release()
			}
		}
		release(all...)
	}
	var all []Permit
	for _, k := range []Kind{Writes, Syncs, Changes} {
		all = append(all, b.fill(k)...)
	}
	if _, ok := b.TryAcquire(Reads); len(all) != 15 || !ok {
		t.Errorf("%d permits for what is no read, and one for a read: %t; want 15, true", len(all), ok)
	}
}

// Calls whose contexts may end have a quarter of the permits, and hold up no other calls.
func TestEnding(t *testing.T) {
	hang.Watch(t)
	w := newWorld(1, 2, 0)
	b := w.of[0]
	ctx, cancel := context.WithCancel(t.Context())
	var all []Permit
	for range 4 {
		p, err := b.Acquire(ctx, Reads, ctx.Done() != nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	passed := b.queueUp(3, ctx, Writes)
	p, ok := b.TryAcquire(Writes)
	if !ok {
		t.Error("a call without a context has no permit")
	}
	all[0].Release()
	if err := <-passed[0]; err != nil {
		t.Error(err)
	}
	cancel()
	for _, c := range passed[1:] {
		if err := <-c; err != context.Canceled {
			t.Errorf("Acquire = %v; want context.Canceled", err)
		}
	}
	release(all[1:]...)
	release(p, Permit{b, Writes, true})
	w.wantEmpty(t)
}

// queueUp makes n goroutines wait for a permit, one after the other. It returns the channels that
// say when each of them has it.
func (b *Budget) queueUp(n int, ctx context.Context, k Kind) []chan error {
	passed := make([]chan error, n)
	for i := range passed {
		passed[i] = make(chan error, 1)
		before := b.waiting.Load()
		go func() { _, err := b.Acquire(ctx, k, ctx.Done() != nil); passed[i] <- err }()
		hang.Eventually(func() bool { return b.waiting.Load() > before })
	}
	return passed
}

// No more goroutines have a permit than the limits allow, none waits for ever, and all permits are
// free at the end, whichever contexts end in between.
func TestStress(t *testing.T) {
	start := seed.Of(t)
	for _, most := range []int{0, 1, 2, 5, 20} {
		for _, procs := range []int{1, 4} {
			t.Run(fmt.Sprintf("Most%d/GOMAXPROCS%d", most, procs), func(t *testing.T) {
				hang.Watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				w := newWorld(3, procs, most)
				var inside [4]atomic.Int32
				var all sync.WaitGroup
				for i := range 64 {
					all.Go(func() {
						rnd := rand.New(rand.NewPCG(start, uint64(i)))
						for range 200 {
							w.goThrough(t, rnd, &inside)
						}
					})
				}
				all.Wait()
				w.wantEmpty(t)
			})
		}
	}
}

// goThrough goes through a Budget once, or gives up.
func (w *world) goThrough(t *testing.T, rnd *rand.Rand, inside *[4]atomic.Int32) {
	ctx := context.Background()
	if rnd.IntN(2) == 0 {
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		if ctx = c; rnd.IntN(2) == 0 {
			go cancel()
		}
	}
	i := rnd.IntN(len(w.of))
	b, k := w.of[i], Kind(rnd.IntN(int(Kinds)))
	p, err := b.Acquire(ctx, k, ctx.Done() != nil)
	if err != nil {
		return
	}
	n, sum := inside[i].Add(1), inside[3].Add(1)
	if n > b.Limit() || w.all.most > 0 && sum > w.all.most {
		t.Errorf("%d have a permit of a budget, and %d one of all", n, sum)
	}
	for range rnd.IntN(4) {
		runtime.Gosched()
	}
	inside[i].Add(-1)
	inside[3].Add(-1)
	p.Release()
}

func TestFirstInFirstOut(t *testing.T) {
	hang.Watch(t)
	w := newWorld(1, 2, 1)
	p, _ := w.of[0].TryAcquire(Reads)
	for _, c := range w.of[0].queueUp(8, context.Background(), Reads) {
		p.Release()
		if err := <-c; err != nil {
			t.Errorf("Acquire = %v", err)
		}
	}
	p.Release()
	w.wantEmpty(t)
}

// The waiters of several Budgets that share a bound, and of several kinds, go on in the order in
// which they came.
func TestOldestFirst(t *testing.T) {
	hang.Watch(t)
	w := newWorld(3, 2, 1)
	p, _ := w.of[0].TryAcquire(Reads)
	var passed []chan error
	var next []Permit
	for i := range 9 {
		b, k := w.of[i%3], Kind(i%4)
		passed = append(passed, b.queueUp(1, context.Background(), k)...)
		next = append(next, Permit{b, k, false})
	}
	for i, c := range passed {
		p.Release()
		if err := <-c; err != nil {
			t.Error(err)
		}
		p = next[i]
	}
	p.Release()
	w.wantEmpty(t)
}

func TestContext(t *testing.T) {
	hang.Watch(t)
	w := newWorld(1, 2, 1)
	b := w.of[0]
	ctx, cancel := context.WithCancel(t.Context())
	p, _ := b.TryAcquire(Reads)
	given := b.queueUp(3, ctx, Writes)
	kept := b.queueUp(1, context.Background(), Writes)[0]
	cancel()
	for _, c := range given {
		if err := <-c; err != context.Canceled {
			t.Errorf("Acquire = %v; want context.Canceled", err)
		}
	}
	if n := b.Waiting(); n != 1 {
		t.Errorf("%d wait; want 1", n)
	}
	p.Release()
	if err := <-kept; err != nil {
		t.Errorf("Acquire = %v; want nil", err)
	}
	Permit{b, Writes, false}.Release()
	w.wantEmpty(t)
}

// A waiter whose context ends at the moment when it is woken for a permit passes that on.
func TestAbandonPassesPermitOn(t *testing.T) {
	hang.Watch(t)
	w := newWorld(1, 2, 1)
	b := w.of[0]
	p, _ := b.TryAcquire(Reads)
	first := newWaiter()
	first.wants = Permit{b, Reads, true}
	w.all.enqueue(first)
	next := b.queueUp(1, context.Background(), Reads)[0]
	p.Release() // wakes first
	w.all.abandon(first)
	if err := <-next; err != nil { // hangs if the permit is lost
		t.Errorf("Acquire = %v", err)
	}
	p.Release()
	w.wantEmpty(t)
}

// Waiters go on when a Budget, or all, are widened, and when the program may use more processors.
func TestMorePermits(t *testing.T) {
	for name, more := range map[string]func(*world){
		"Widen":    func(w *world) { w.of[0].Widen() },
		"WidenAll": func(w *world) { w.all.Widen() },
		"GOMAXPROCS": func(w *world) {
			w.all.ask = func() int { return 40 }
			p, err := w.of[0].Acquire(context.Background(), Reads, false)
			if err != nil {
				t.Error(err)
			}
			p.Release()
		},
	} {
		t.Run(name, func(t *testing.T) {
			hang.Watch(t)
			w := newWorld(1, 2, 0)
			b := w.of[0]
			all := b.fill(Reads)
			passed := b.queueUp(8, context.Background(), Reads)
			more(w)
			for _, c := range passed {
				if err := <-c; err != nil {
					t.Error(err)
				}
				all = append(all, Permit{b, Reads, false})
			}
			release(all...)
			w.wantEmpty(t)
		})
	}
}

// A call whose context may end gives back two things: a permit of its kind, and a permit for calls
// whose contexts may end.
func TestEndingFreesTwo(t *testing.T) {
	hang.Watch(t)
	w := newWorld(1, 2, 0)
	b := w.of[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ending, err := b.Acquire(ctx, Writes, ctx.Done() != nil)
	if err != nil {
		t.Fatal(err)
	}
	all := b.fill(Writes)
	for range 3 {
		p, err := b.Acquire(ctx, Reads, ctx.Done() != nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	// The Budget has 16 permits: 13 writes and 3 reads have them. One of the reads makes room.
	all[len(all)-1].b.used.Add(-int64(Permit{kind: Reads}.unit())) // its context still counts
	write := b.queueUp(1, context.Background(), Writes)[0]
	read := b.queueUp(1, ctx, Reads)[0]
	ending.Release()
	if err := <-write; err != nil {
		t.Error(err)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// A waiter that was woken for a permit that its kind may not have lets others go on that may. Here
// two permits of reads become free while writes and fsyncs hang, and two writes and then a read
// wait: one write more may go on, and the read.
func TestLoserPassesOn(t *testing.T) {
	w := newWorld(1, 2, 0)
	b := w.of[0]
	var all []Permit
	for range 12 {
		all = append(all, Permit{b, Writes, false})
	}
	all = append(all, Permit{b, Syncs, false}, Permit{b, Syncs, false}, Permit{b, Reads, false}, Permit{b, Reads, false})
	for _, p := range all {
		if !p.take(Most) {
			t.Fatal("no permit")
		}
	}
	var waiters []*waiter
	for _, k := range []Kind{Writes, Writes, Reads} {
		one := newWaiter()
		one.wants = Permit{b, k, false}
		w.all.enqueue(one)
		waiters = append(waiters, one)
	}
	all[14].Release()
	all[15].Release()
	for _, one := range waiters[:2] { // both were woken, and one of them finds its permit
		if <-one.ready; !one.wants.take(Most) {
			one.overtaken = true
			w.all.enqueue(one)
		}
	}
	if len(waiters[2].ready) == 0 {
		t.Error("a permit is free, and the read that waits for it was not woken")
	}
}
