package sched

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// Operations reach the driver in the order in which they were pushed, however
// they were gathered.
func TestOrderIsFirstInFirstOut(t *testing.T) {
	asScript(t, 4, func(t *testing.T, d *script, drv driver.Driver) {
		e := newEngine(drv)
		const n = 40
		all := make([]*request, n)
		for i := range all {
			all[i] = newRequest(int64(i))
			e.push(&all[i].op)
		}
		for i := range all {
			op := d.next(i)
			if op.Off != int64(i) {
				t.Fatalf("operation %d to be submitted is number %d", i, op.Off)
			}
			d.answer(op, 0)
		}
		for _, r := range all {
			<-r.done
		}
		e.wait()
	})
}

// While one operation is stuck, all others go on: whoever arrives while the
// leader waits for the stuck one submits for himself.
func TestNoOperationWaitsBehindAnother(t *testing.T) {
	for _, depth := range []int{2, 4, 64} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Depth%d/GOMAXPROCS%d", depth, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				asScript(t, depth, func(t *testing.T, d *script, drv driver.Driver) {
					stuck := newRequest(-5)
					d.rule = func(op *driver.Op) (int32, bool) { return 0, op.Off != -5 }
					e := newEngine(drv)
					e.push(&stuck.op)
					stress(e, 16, 300)
					d.until(func() bool { return len(d.held) == 1 })
					d.answer(&stuck.op, 0)
					<-stuck.done
					e.wait()
				})
			})
		}
	}
}

// full is a script whose Submit returns only when its leader has reaped what it
// was given, and waits again.
type full struct {
	stagingScript // what the leader submits it does not Submit
	e             *engine
}

func (d *full) Submit(ops []*driver.Op) (int, error) {
	n, err := d.script.Submit(ops)
	eventually(func() bool { return d.e.inflight.Load() == 1 && d.e.state.Load() == blocked })
	return n, err
}

// What the driver had no room for is submitted by who has found it full, if the
// leader has made room in the meantime and passed him by.
func TestRoomThatTheLeaderMakesMeanwhile(t *testing.T) {
	watch(t)
	d := &full{stagingScript: stagingScript{newScript(2)}}
	d.rule = func(op *driver.Op) (int32, bool) { return 0, op.Off != -5 }
	d.e = newEngine(d)
	stuck, first, second := newRequest(-5), newRequest(1), newRequest(2)
	d.e.push(&stuck.op)
	eventually(func() bool { return d.e.inflight.Load() == 1 && d.e.state.Load() == blocked })
	d.e.pushInbox(&first.op)
	d.e.push(&second.op) // there is room for one of them
	<-first.done
	<-second.done
	d.answer(&stuck.op, 0)
	<-stuck.done
	d.e.wait()
}

// stress has goroutines push one operation after another and wait for each.
func stress(e *engine, goroutines, each int) {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			r := newRequest(0)
			for i := range each {
				e.push(&r.op)
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
				asScript(t, 1, func(t *testing.T, d *script, drv driver.Driver) {
					d.rule = func(*driver.Op) (int32, bool) { return 0, true }
					e := newEngine(drv)
					stress(e, goroutines, 3000)
					e.wait()
					if st := e.state.Load(); st != idle || e.inflight.Load() != 0 || e.backlog.Len() != 0 {
						t.Errorf("state %d, %d in flight at the end; want idle, 0", st, e.inflight.Load())
					}
				})
			})
		}
	}
}

// Writes and large reads do not wait for the leader's batch; small reads do.
func TestWhatIsNotBatchedIsSubmittedAtOnce(t *testing.T) {
	d := newScript(8)
	e := newEngine(stagingScript{d})
	e.state.Store(running) // a leader that is never back
	small, write, large := newRequest(1), newRequest(2), newRequest(3)
	small.op.Code, small.op.Buf = driver.Read, make([]byte, 4<<10)
	write.op.Code, write.op.Buf = driver.Write, make([]byte, 4<<10)
	large.op.Code, large.op.Buf = driver.Read, make([]byte, largeRead)
	for _, c := range []struct {
		r    *request
		want int // submitted afterwards
	}{{small, 0}, {write, 2}, {large, 3}} {
		e.push(&c.r.op)
		if len(d.seen) != c.want {
			t.Errorf("%v of %d bytes: %d submitted; want %d", c.r.op.Code, len(c.r.op.Buf), len(d.seen), c.want)
		}
	}
}

// Small reads that arrive while the leader is busy are submitted without it once
// there are several, in one batch; and once there are more where more are in
// flight, for which a batch lasts less long.
func TestSeveralAreSubmittedWithoutTheLeader(t *testing.T) {
	d := newScript(256)
	e := newEngine(stagingScript{d})
	e.state.Store(running) // a leader that is never back
	batch := func() (n int) {
		for before := len(d.seen); len(d.seen) == before; n++ {
			if n == 100 {
				t.Fatalf("%d reads wait for the leader, with %d in flight", n, before)
			}
			e.push(&newRequest(int64(n)).op)
		}
		return n
	}
	few := batch()
	if few == 1 {
		t.Error("a small read is submitted by itself")
	}
	batches, more := int64(1), 0
	for ; len(d.seen) < 150; batches++ {
		more = batch()
		if more < few {
			t.Errorf("%d are submitted in one batch with %d in flight, %d with none; want no fewer", more, len(d.seen), few)
		}
	}
	if more <= few {
		t.Errorf("%d are submitted in one batch with %d in flight, %d with none; want more", more, len(d.seen), few)
	}
	var st Stats
	e.addTo(&st)
	if st.Batches != batches || st.InFlight != len(d.seen) || e.inbox.Load() != nil {
		t.Errorf("%d batches, %d in flight; want %d, %d, and none in the inbox", st.Batches, st.InFlight, batches, len(d.seen))
	}
}

// shy is a staging driver that takes less in Stage than it has room for, as
// a ring whose SQ is full does.
type shy struct{ stagingScript }

func (d shy) Stage(ops []*driver.Op) int { return d.stagingScript.Stage(ops[:min(1, len(ops))]) }

// What Stage has no room for is submitted before the leader waits.
func TestShortStageDoesNotHoldOperationsBack(t *testing.T) {
	watch(t)
	d := newScript(64)
	e := newEngine(shy{stagingScript{d}})
	e.mu.Lock() // so that the leader finds them all at once
	all := make([]*request, 8)
	for i := range all {
		all[i] = newRequest(int64(i))
		e.push(&all[i].op)
	}
	e.mu.Unlock()
	for i := range all {
		d.next(i) // hangs if it waits for another's completion
	}
	for _, r := range all {
		d.answer(&r.op, 0)
		<-r.done
	}
	e.wait()
}

// A result and its operation arrive together, at whom it belongs to.
func TestResultsArriveAtTheirOwners(t *testing.T) {
	asScript(t, 8, func(t *testing.T, d *script, drv driver.Driver) {
		d.rule = func(op *driver.Op) (int32, bool) { return int32(op.Off), true }
		e := newEngine(drv)
		var all sync.WaitGroup
		for g := range 32 {
			all.Go(func() {
				for i := range 100 {
					r := newRequest(int64(g*1000 + i))
					e.push(&r.op)
					<-r.done
					if int64(r.op.Res) != r.op.Off {
						t.Errorf("Res = %d; want %d", r.op.Res, r.op.Off)
					}
				}
			})
		}
		all.Wait()
		e.wait()
	})
}
