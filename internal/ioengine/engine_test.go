package ioengine

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Operations reach the driver in the order in which they were pushed, however
// they were gathered.
func TestOrderIsFirstInFirstOut(t *testing.T) {
	script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		e := newEngine(drv)
		const n = 40
		all := make([]*Request, n)
		for i := range all {
			all[i] = newRequest(int64(i))
			e.Push(all[i])
		}
		for i := range all {
			op := d.Next(i)
			if op.Off != int64(i) {
				t.Fatalf("operation %d to be submitted is number %d", i, op.Off)
			}
			d.Answer(op, 0)
		}
		for _, r := range all {
			<-r.done
		}
		e.Wait()
	})
}

// While one operation is stuck, all others go on: a goroutine that arrives while the leader waits
// for the stuck operation submits itself.
func TestNoOperationWaitsBehindAnother(t *testing.T) {
	for _, depth := range []int{2, 4, 64} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Depth%d/GOMAXPROCS%d", depth, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
					stuck := newRequest(-5)
					d.Rule = func(op *driver.Op) (int32, bool) { return 0, op.Off != -5 }
					e := newEngine(drv)
					e.Push(stuck)
					stress(e, 16, 300)
					d.Until(func() bool { return len(d.Held) == 1 })
					d.Answer(&stuck.Op, 0)
					<-stuck.done
					e.Wait()
				})
			})
		}
	}
}

// full is a script whose Submit returns only when its leader has reaped what it
// was given, and waits again.
type full struct {
	script.Stager // the leader stages its operations, and does not call Submit
	e             *Engine
}

func (d *full) Submit(ops []*driver.Op) (int, error) {
	n, err := d.Driver.Submit(ops)
	hang.Eventually(func() bool { return d.e.inflight.Load() == 1 && d.e.state.Load() == blocked })
	return n, err
}

// An operation that the driver had no room for is submitted by the submitter that has found
// the driver full, if the leader has made room in the meantime and waits already.
func TestRoomThatTheLeaderMakesMeanwhile(t *testing.T) {
	hang.Watch(t)
	d := &full{Stager: script.New(2).Staging()}
	d.Rule = func(op *driver.Op) (int32, bool) { return 0, op.Off != -5 }
	d.e = newEngine(d)
	stuck, first, second := newRequest(-5), newRequest(1), newRequest(2)
	d.e.Push(stuck)
	hang.Eventually(func() bool { return d.e.inflight.Load() == 1 && d.e.state.Load() == blocked })
	d.e.Queue(first)
	d.e.Push(second) // there is room for one of them
	<-first.done
	<-second.done
	d.Answer(&stuck.Op, 0)
	<-stuck.done
	d.e.Wait()
}

// stress has goroutines push one operation after another and wait for each.
func stress(e *Engine, goroutines, each int) {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			r := newRequest(0)
			for i := range each {
				e.Push(r)
				<-r.done
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
}

// Leaders retire and start all the time when operations come one by one: none
// is left without a leader.
func TestLeadersRetireAndStart(t *testing.T) {
	for _, procs := range []int{1, 2, 4, 8} {
		for _, goroutines := range []int{1, 2, 3} {
			t.Run(fmt.Sprintf("GOMAXPROCS%d/%d", procs, goroutines), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				script.Run(t, 1, func(t *testing.T, d *script.Driver, drv driver.Driver) {
					d.Rule = func(*driver.Op) (int32, bool) { return 0, true }
					e := newEngine(drv)
					stress(e, goroutines, 3000)
					e.Wait()
					if st := e.state.Load(); st != idle || e.inflight.Load() != 0 || e.backlog.Len() != 0 {
						t.Errorf("state %d, %d in flight at the end; want idle, 0", st, e.inflight.Load())
					}
				})
			})
		}
	}
}

// Few operations are left to the leader, for they would be most of a batch, unless they are spread.
// Of more, each batch is submitted.
func TestFewAreLeftToTheLeader(t *testing.T) {
	for _, c := range []struct {
		reapedOf, inFlight int32
		spread             bool
		submitted          int32
	}{
		{0, 0, false, twoBatches},
		{0, 0, true, minSubmitThreshold},
		{0, 2, false, twoBatches - 2},
		{0, 4, false, minSubmitThreshold},
		{twoBatches - 1, 0, false, twoBatches},
		{twoBatches - 1, 0, true, minSubmitThreshold},
		{twoBatches, 0, false, minSubmitThreshold},
	} {
		d := script.New(256)
		e := newEngine(d.Staging())
		e.state.Store(running) // a leader that is never back
		e.reapedOf.Store(c.reapedOf)
		e.inflight.Store(c.inFlight)
		e.spread.Store(c.spread)
		n := int32(0)
		for ; len(d.Seen) == 0 && n < 100; n++ {
			e.Push(newRequest(int64(n)))
		}
		if n != c.submitted || len(d.Seen) != int(n) {
			t.Errorf("%+v: operation %d submits %d", c, n, len(d.Seen))
		}
	}
}

// A submitter leaves to the leader what has arrived while it submitted a batch. It submits that,
// too, if it is another batch, or if the leader is blocked.
func TestSubmitterLeavesFewToTheLeader(t *testing.T) {
	for _, c := range []struct {
		late    int    // operations that arrive while the batch is being submitted
		leader  uint32 // the leader's state after that
		batches int64
	}{
		{minSubmitThreshold - 1, running, 1},
		{minSubmitThreshold, running, 2},
		{1, blocked, 2},
	} {
		d := script.New(256)
		var e *Engine
		e = newEngine(hooked{d, func() (refuse bool) {
			if len(d.Seen) == 0 {
				for i := range c.late {
					e.Push(newRequest(int64(i)))
				}
				e.state.Store(c.leader)
			}
			return false
		}})
		e.minDivided = 0
		e.state.Store(running) // a leader that is never back
		pushed(e, minSubmitThreshold)
		var st Stats
		e.AddTo(&st)
		if left := e.inbox.Load() != nil; st.Batches != c.batches || left != (c.batches == 1) {
			t.Errorf("%+v: %d batches, operations left in the inbox: %t", c, st.Batches, left)
		}
	}
}

// Operations are spread if the leader has waited long for a processor, to the time between.
func TestSpread(t *testing.T) {
	e := newEngine(script.New(1))
	now := time.Duration(0)
	for _, c := range []struct {
		passed, took time.Duration
		spread       bool
	}{{80, 20, true}, {180, 20, false}, {140, 20, true}, {141, 20, false}} {
		clock := []time.Duration{now + c.passed, now + c.passed + c.took}
		e.rings.Now = func() time.Duration {
			now, clock = clock[0], clock[1:]
			return now
		}
		if e.yield(); e.spread.Load() != c.spread {
			t.Errorf("%v of %v spent in yields: spread = %t; want %t", c.took, c.passed+c.took, !c.spread, c.spread)
		}
	}
}

// Small reads that arrive while the leader is busy are submitted without it once
// there are several, in one batch; and once there are more where more are in
// flight, for which a batch lasts less long.
func TestSeveralAreSubmittedWithoutTheLeader(t *testing.T) {
	d := script.New(256)
	e := newEngine(d.Staging())
	e.minDivided = 0
	e.state.Store(running) // a leader that is never back
	batch := func() (n int) {
		for before := len(d.Seen); len(d.Seen) == before; n++ {
			if n == 100 {
				t.Fatalf("%d reads wait for the leader, with %d in flight", n, before)
			}
			e.Push(newRequest(int64(n)))
		}
		return n
	}
	few := batch()
	if few == 1 {
		t.Error("a small read is submitted by itself")
	}
	batches, more := int64(1), 0
	for ; len(d.Seen) < 150; batches++ {
		more = batch()
		if more < few {
			t.Errorf("%d are submitted in one batch with %d in flight, %d with none; want no fewer", more, len(d.Seen), few)
		}
	}
	if more <= few {
		t.Errorf("%d are submitted in one batch with %d in flight, %d with none; want more", more, len(d.Seen), few)
	}
	var st Stats
	e.AddTo(&st)
	if st.Batches != batches || st.InFlight != len(d.Seen) || e.inbox.Load() != nil {
		t.Errorf("%d batches, %d in flight; want %d, %d, and none in the inbox", st.Batches, st.InFlight, batches, len(d.Seen))
	}
}

// shy is a staging driver that takes less in Stage than it has room for, as
// a ring whose SQ is full does.
type shy struct{ script.Stager }

func (d shy) Stage(ops []*driver.Op) int { return d.Stager.Stage(ops[:min(1, len(ops))]) }

// The leader submits the operations that Stage has no room for before it waits.
func TestShortStageDoesNotHoldOperationsBack(t *testing.T) {
	hang.Watch(t)
	d := script.New(64)
	e := newEngine(shy{d.Staging()})
	e.mu.Lock() // so that the leader finds them all at once
	all := make([]*Request, 8)
	for i := range all {
		all[i] = newRequest(int64(i))
		e.Push(all[i])
	}
	e.mu.Unlock()
	for i := range all {
		d.Next(i) // hangs if it waits for another's completion
	}
	for _, r := range all {
		d.Answer(&r.Op, 0)
		<-r.done
	}
	e.Wait()
}

// A result and its operation arrive together, at whom it belongs to.
func TestResultsArriveAtTheirOwners(t *testing.T) {
	script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		d.Rule = func(op *driver.Op) (int32, bool) { return int32(op.Off), true }
		e := newEngine(drv)
		var all sync.WaitGroup
		for g := range 32 {
			all.Go(func() {
				for i := range 100 {
					r := newRequest(int64(g*1000 + i))
					e.Push(r)
					<-r.done
					if int64(r.Op.Res) != r.Op.Off {
						t.Errorf("Res = %d; want %d", r.Op.Res, r.Op.Off)
					}
				}
			})
		}
		all.Wait()
		e.Wait()
	})
}
