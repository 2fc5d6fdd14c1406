package ioengine

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// slow is how long a slow yield takes at least.
const slow = pressure.Slow

// clock is an Engine's clock that goes on by step at each reading.
type clock struct{ now, step time.Duration }

func (c *clock) read() time.Duration { c.now += c.step; return c.now }

// While yields are known to be slow, batches are handed over in relays, without a yield. After that
// the leader yields again.
func TestSlowYieldsMakeRelays(t *testing.T) {
	e := newEngine(script.New(1))
	c := &clock{now: time.Hour, step: slow}
	e.rings.Now = c.read
	if e.yield(); !e.rings.Processors.Taken(c.now) {
		t.Error("after a slow yield the processors are not taken")
	}
	all, ops := ended(e, 1)
	all[0].waiting.Store(waits)
	c.step = 0
	e.hand.resume <- struct{}{} // as by the last goroutine of the relay
	if e.handOver(ops); all[0].waiting.Load() != inRelay {
		t.Error("the batch is not handed over in a relay")
	}
	c.now += time.Hour
	all, ops = ended(e, 1)
	all[0].waiting.Store(waits)
	c.step = 1
	before := c.now
	if e.handOver(ops); all[0].waiting.Load() == inRelay || c.now-before != 3 {
		t.Errorf("much later a batch is handed over with %d readings of the clock; want 3, and no relay", c.now-before)
	}
}

// ended returns n operations that have ended, as the driver returns them.
func ended(e *Engine, n int) ([]*Request, []*driver.Op) {
	all, ops := make([]*Request, n), make([]*driver.Op, n)
	for i := range all {
		all[i] = newRequest(int64(i))
		all[i].ring, ops[i] = e, &all[i].Op
	}
	e.countInFlight(ops, 1)
	return all, ops
}

// woken returns how many of the requests have been handed to their goroutines.
func woken(all []*Request) (n int) {
	for _, r := range all {
		n += len(r.done)
	}
	return n
}

// In a relay each goroutine wakes the next one, and the last one of the last relay the leader.
// Goroutines that also wait for something else are woken by the leader: they may be late.
func TestRelays(t *testing.T) {
	for _, c := range []struct{ waiters, others, procs, relays int }{
		{1, 0, 2, 1},
		{twoBatches, 0, 2, 1},
		{twoBatches + 1, 0, 2, 2},
		{twoBatches + 1, 0, 1, 1},
		{100, 7, 4, 4},
		{20, 3, 16, 3},
		{0, 3, 2, 0},
	} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
		e := newEngine(script.New(1))
		all, ops := ended(e, c.waiters+c.others)
		for _, r := range all[c.others:] {
			r.waiting.Store(waits)
		}
		e.complete(ops, true)
		if n := len(e.hand.waiters); n != c.waiters {
			t.Errorf("%+v: %d goroutines are left for relays", c, n)
		}
		e.hand.wakeInRelays()
		if n := woken(all[:c.others]); n != c.others {
			t.Errorf("%+v: the leader has woken %d of the others", c, n)
		}
		waiters := all[c.others:]
		if n := woken(waiters); n != c.relays {
			t.Errorf("%+v: the leader has woken %d of the waiters", c, n)
		}
		asleep := c.waiters
		for progress := true; progress; {
			progress = false
			for _, r := range waiters {
				if len(r.done) > 0 {
					if len(e.hand.resume) > 0 {
						t.Errorf("%+v: the leader is woken, and %d goroutines are not", c, asleep)
					}
					<-r.done
					r.wakeNext()
					asleep--
					progress = true
				}
			}
		}
		if asleep != 0 || len(e.hand.resume) != min(c.relays, 1) {
			t.Errorf("%+v: %d goroutines are left, and the leader was woken %d times", c, asleep, len(e.hand.resume))
		}
	}
}

// countsReaps counts the Reaps that return something.
type countsReaps struct {
	*script.Driver
	n int64
}

func (d *countsReaps) Reap(done []*driver.Op, need int) (int, error) {
	n, err := d.Driver.Reap(done, need)
	if n > 0 {
		d.n++
	}
	return n, err
}

// Where each yield is slow, the leader yields after few batches, and all results arrive.
func TestRelaysInstead(t *testing.T) {
	hang.Watch(t)
	d := script.New(16)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(op.Off), true }
	reaps := &countsReaps{Driver: d}
	e := newEngine(reaps)
	c := &clock{step: slow}
	e.rings.Now = c.read
	var all sync.WaitGroup
	for i := range 8 {
		ctx := context.Background()
		if i%2 == 0 {
			ctx = t.Context()
		}
		all.Go(func() {
			r := newRequest(0)
			r.from = new(Requests)
			for i := range 500 {
				r.Op.Off = int64(i)
				e.Push(r)
				r.Wait(ctx)
				if r.Op.Res != int32(i) {
					t.Errorf("operation %d has the result of %d", i, r.Op.Res)
				}
			}
		})
	}
	all.Wait()
	e.Wait()
	// One reading for each batch, and two for each yield.
	if readings := c.now / c.step; int64(readings) > reaps.n+reaps.n/4 {
		t.Errorf("%d readings of the clock in %d batches; want few yields", readings, reaps.n)
	}
}

// A goroutine whose context ends cancels its operation, unless it is in a relay already: then it
// waits for its turn, and wakes the next one.
func TestContextEndsInARelay(t *testing.T) {
	hang.Watch(t)
	e := newEngine(script.New(1))
	all, ops := ended(e, 2)
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan struct{})
	go func() {
		all[1].Wait(ctx)
		close(waited)
	}()
	hang.Eventually(func() bool { return all[1].waiting.Load() == waits })
	all[0].waiting.Store(waits)
	e.complete(ops, true)
	if n := len(e.hand.waiters); n != 2 {
		t.Fatalf("%d goroutines are left for a relay; want 2", n)
	}
	e.hand.wakeInRelays()
	e.mu.Lock() // as by a goroutine in a system call that does not return: Cancel would wait for it
	defer e.mu.Unlock()
	cancel()
	<-all[0].done
	all[0].wakeNext()
	<-waited
	<-e.hand.resume
}
