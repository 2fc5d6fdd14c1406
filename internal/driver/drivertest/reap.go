package drivertest

import (
	"runtime"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

var reapTests = []test{
	{"ReapNone", 4, testReapNone},
	{"Need", 16, testNeed},
	{"ReapLimit", 16, testReapLimit},
	{"ReapPoll", 16, testReapPoll},
	{"ReapWaits", 4, testReapWaits},
	{"WakeBefore", 4, testWakeBefore},
	{"WakeDuring", 4, testWakeDuring},
	{"WakesDoNotAddUp", 4, testWakesDoNotAddUp},
	{"WakeKept", 4, testWakeKept},
	{"WakeNeed", 4, testWakeNeed},
	{"WakeStorm", 16, testWakeStorm},
}

func testReapNone(r *rig) {
	r.reap(0, 0)
	for range 3 {
		if done := r.reap(4, 0); len(done) != 0 {
			r.Errorf("Reap(4, 0) = %d with nothing in flight; want 0", len(done))
		}
	}
}

// testNeed reaps with each need, while more operations are in flight.
func testNeed(r *rig) {
	depth := r.depth()
	for need := range min(depth, 16) + 1 {
		r.submit(nops(depth)...)
		n := len(r.reap(depth, need))
		if n < need {
			r.Errorf("Reap(%d, %d) = %d; Wake was not called", depth, need, n)
		}
		r.must(depth - n)
	}
}

// testReapLimit gives Reap less room than there are completed operations.
func testReapLimit(r *rig) {
	r.submit(nops(16)...)
	r.must(1)
	r.must(3)
	r.must(12)
}

func testReapPoll(r *rig) {
	r.submit(nops(16)...)
	for inFlight := 16; inFlight > 0; runtime.Gosched() {
		inFlight -= len(r.reap(5, 0))
	}
}

// waiter runs one Reap in a new goroutine, and gives it time to start waiting. The tests do not
// rely on that time being enough.
func (r *rig) waiter(need int) <-chan []*driver.Op {
	c := make(chan []*driver.Op, 1)
	go func() {
		done := make([]*driver.Op, need)
		n, err := r.d.Reap(done, need)
		if err != nil {
			r.Errorf("Reap = %d, %v", n, err)
		}
		for _, op := range done[:n] {
			if err := returned(op); err != nil {
				r.Error(err)
			}
		}
		c <- done[:n]
	}()
	time.Sleep(2 * time.Millisecond)
	return c
}

// testReapWaits checks that Reap waits for operations that are submitted later.
func testReapWaits(r *rig) {
	for range 20 {
		c := r.waiter(2)
		r.submit(nops(1)...)
		time.Sleep(time.Millisecond) // a Reap that returns too early shows here
		r.submit(nops(1)...)
		if done := <-c; len(done) != 2 {
			r.Errorf("Reap(2, 2) = %d; Wake was not called", len(done))
			r.must(2 - len(done))
		}
	}
}

func testWakeBefore(r *rig) {
	for range 20 {
		r.d.Wake()
		if done := r.reap(1, 1); len(done) != 0 {
			r.Fatalf("Reap = %d operations with nothing in flight", len(done))
		}
	}
}

func testWakeDuring(r *rig) {
	for range 20 {
		c := r.waiter(1)
		r.d.Wake()
		if done := <-c; len(done) != 0 {
			r.Fatalf("Reap = %d operations with nothing in flight", len(done))
		}
	}
}

// testWakesDoNotAddUp calls Wake three times: one Reap returns early, the next one waits.
func testWakesDoNotAddUp(r *rig) {
	for range 20 {
		r.d.Wake()
		r.d.Wake()
		r.d.Wake()
		r.reap(1, 1)
		c := r.waiter(1)
		r.submit(nops(1)...)
		if done := <-c; len(done) != 1 {
			r.Error("the second Reap after three Wakes ended early; want one that ends early")
			r.must(1)
		}
	}
}

// testWakeKept checks that a Reap that does not wait leaves the Wake for the next one that would.
func testWakeKept(r *rig) {
	r.d.Wake()
	for range 3 {
		r.reap(1, 0)
	}
	r.reap(1, 1) // waits forever if the Wake is lost
}

// testWakeNeed wakes a Reap that has some of the operations that it needs.
func testWakeNeed(r *rig) {
	for range 20 {
		c := r.waiter(2)
		r.submit(nops(1)...)
		r.d.Wake()
		if done := <-c; len(done) == 0 {
			r.must(1)
		}
	}
}

// testWakeStorm calls Wake all the time, which must not lose operations.
func testWakeStorm(r *rig) {
	stop := make(chan struct{})
	var wakers sync.WaitGroup
	for range 2 {
		wakers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.d.Wake()
					runtime.Gosched()
				}
			}
		})
	}
	quiet := sync.OnceFunc(func() { close(stop); wakers.Wait() })
	defer quiet()
	ops := nops(500)
	for inFlight := 0; len(ops) > 0 || inFlight > 0; {
		n := r.take(ops)
		ops, inFlight = ops[n:], inFlight+n
		inFlight -= len(r.reap(16, min(inFlight, 4)))
	}
	quiet()
	// At most one Wake may be left.
	r.d.Wake()
	r.reap(1, 1)
	r.submit(nops(1)...)
	r.must(1)
}
