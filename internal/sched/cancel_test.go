package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/seed"
)

// waitFor pushes r's operation and waits for it as long as ctx has not ended.
func waitFor(e *engine, r *request, ctx context.Context) chan int32 {
	res := make(chan int32, 1)
	e.push(&r.op)
	go func() { r.wait(ctx, e); res <- r.op.Res }()
	return res
}

// An operation that the driver has no room for ends with its context.
func TestCancelInBacklog(t *testing.T) {
	asScript(t, 1, func(t *testing.T, d *script, drv driver.Driver) {
		e := newEngine(drv)
		first := newRequest(0)
		e.push(&first.op)
		d.next(0)
		var cancels []context.CancelFunc
		var res []chan int32
		for i := range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels, res = append(cancels, cancel), append(res, waitFor(e, newRequest(int64(i+1)), ctx))
		}
		for _, i := range []int{2, 4, 0} { // the middle, the last, the first
			cancels[i]()
			if r := <-res[i]; r != ecanceled {
				t.Errorf("operation %d = %d; want ECANCELED", i, r)
			}
		}
		d.answer(&first.op, 0)
		for n, i := range []int{1, 3} {
			op := d.next(n + 1)
			if op.Off != int64(i+1) {
				t.Errorf("operation %d follows; want %d", op.Off, i+1)
			}
			d.answer(op, 7)
			if r := <-res[i]; r != 7 {
				t.Errorf("operation %d = %d; want 7", i, r)
			}
			cancels[i]()
		}
		<-first.done
		e.wait()
	})
}

// An operation that the driver has is waited for: it may be writing into the
// buffer. Its result is whatever the driver then says.
func TestCancelInDriver(t *testing.T) {
	for _, want := range []int32{ecanceled, 512} {
		asScript(t, 4, func(t *testing.T, d *script, drv driver.Driver) {
			e := newEngine(drv)
			ctx, cancel := context.WithCancel(t.Context())
			r := newRequest(0)
			res := waitFor(e, r, ctx)
			op := d.next(0)
			cancel()
			d.until(func() bool { return len(d.cancelled) == 1 })
			if d.cancelled[0] != op {
				t.Error("another operation was cancelled")
			}
			select {
			case <-res:
				t.Error("the goroutine went on while the driver had its buffer")
			default:
			}
			d.answer(op, want)
			if got := <-res; got != want {
				t.Errorf("Res = %d; want %d", got, want)
			}
			e.wait()
		})
	}
}

// A cancellation that crosses the completion changes nothing.
func TestCancelWhenDone(t *testing.T) {
	asScript(t, 4, func(t *testing.T, d *script, drv driver.Driver) {
		d.rule = func(*driver.Op) (int32, bool) { return 3, true }
		e := newEngine(drv)
		r := newRequest(0)
		e.push(&r.op)
		e.wait()
		e.cancel(&r.op)
		<-r.done
		if r.op.Res != 3 {
			t.Errorf("Res = %d; want 3", r.op.Res)
		}
		select {
		case <-r.done:
			t.Error("done twice")
		default:
		}
	})
}

// Who cancels takes what has arrived out of the inbox to look for his own
// operation; what he finds beside it must reach the driver although its
// pusher has seen that another holds mu, and the leader is asleep.
func TestCancelForwardsWhatCameAlong(t *testing.T) {
	asScript(t, 8, func(t *testing.T, d *script, drv driver.Driver) {
		e := newEngine(drv)
		stuck, mine, other := newRequest(1), newRequest(2), newRequest(3)
		e.push(&stuck.op)
		d.next(0)
		eventually(func() bool { return e.state.Load() == blocked })
		e.mu.Lock() // the pushers find mu held, and leave it to who holds it
		e.push(&mine.op)
		e.push(&other.op)
		gone := make(chan struct{})
		go func() { e.cancel(&mine.op); close(gone) }()
		e.mu.Unlock()
		<-gone
		<-mine.done
		if mine.op.Res != ecanceled {
			t.Errorf("cancelled operation = %d; want ECANCELED", mine.op.Res)
		}
		op := d.next(1) // hangs if nobody submits it
		if op != &other.op {
			t.Errorf("operation %d was submitted; want 3", op.Off)
		}
		d.answer(op, 0)
		<-other.done
		d.answer(&stuck.op, 0)
		<-stuck.done
		e.wait()
	})
}

// The same where no leader is left: the last one has retired while the inbox
// was in the hands of who cancels.
func TestCancelStartsALeaderForWhatCameAlong(t *testing.T) {
	asScript(t, 8, func(t *testing.T, d *script, drv driver.Driver) {
		d.rule = func(*driver.Op) (int32, bool) { return 0, true }
		e := newEngine(drv)
		mine, other := newRequest(2), newRequest(3)
		e.push(&mine.op)
		<-mine.done
		e.wait()
		// other's pusher has linked it, and has read running a moment before
		// the leader retired.
		other.op.Next = nil
		other.place.Store(inQueue)
		e.inbox.Store(&other.op)
		e.cancel(&mine.op) // its context ended as it was done
		<-other.done       // hangs if nobody leads
		e.wait()
	})
}

// Cancellations, completions and new operations, all at once.
func TestCancelStress(t *testing.T) {
	start := seed.Of(t)
	for _, depth := range []int{1, 2, 4, 64} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Depth%d/GOMAXPROCS%d", depth, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				asScript(t, depth, func(t *testing.T, d *script, drv driver.Driver) {
					d.rule = func(op *driver.Op) (int32, bool) { return int32(op.Off), true }
					e := newEngine(drv)
					cancelStress(t, e, start, 16, 100)
					e.wait()
				})
			})
		}
	}
}

func cancelStress(t *testing.T, e *engine, start uint64, goroutines, each int) {
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(start, uint64(g)))
			for i := range each {
				ctx, cancel := context.WithCancel(context.Background())
				r := newRequest(int64(g*each + i + 1))
				if rnd.IntN(2) == 0 {
					go cancel()
				}
				e.push(&r.op)
				r.wait(ctx, e)
				if r.op.Res != int32(r.op.Off) && r.op.Res != ecanceled {
					t.Errorf("Res = %d; want %d or ECANCELED", r.op.Res, r.op.Off)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

// Hazard: who pushes while another submits finds mu held, and leaves. Guard: who
// has held it looks at the inbox again (cancel).
func TestPushedWhileCancelling(t *testing.T) {
	asScript(t, 8, func(t *testing.T, d *script, drv driver.Driver) {
		e := newEngine(drv)
		pushedWhile(t, d, e, func(op *driver.Op) { e.pushInbox(op); e.cancel(&newRequest(9).op) })
		e.wait()
	})
}

// pushedWhile has one operation be pushed while submit submits another, and a
// leader waits for a third.
func pushedWhile(t *testing.T, d *script, e *engine, submit func(op *driver.Op)) {
	stuck, first, late := newRequest(0), newRequest(1), newRequest(2)
	e.push(&stuck.op)
	d.next(0)
	eventually(func() bool { return e.state.Load() == blocked })
	d.rule = func(op *driver.Op) (int32, bool) {
		if op.Off == 1 {
			e.push(&late.op)
		}
		return 0, false
	}
	submit(&first.op)
	d.until(func() bool { return len(d.seen) == 3 }) // hangs if it is forgotten
	for _, r := range []*request{stuck, first, late} {
		d.answer(&r.op, 0)
		<-r.done
	}
}

// heldSubmit is a driver whose Submit does not return once it is held.
type heldSubmit struct {
	*script
	held    chan struct{} // closed to let it go on
	entered chan struct{} // holds a value when it has been entered
}

func (d heldSubmit) Submit(ops []*driver.Op) (int, error) {
	n, err := d.script.Submit(ops)
	select {
	case d.entered <- struct{}{}:
	default:
	}
	<-d.held
	return n, err
}

// Hazard: a submitter that does not return has the lock, and nothing behind it ends with
// its context. Guard: it is abandoned where it is (request.place).
func TestCancelWhileSubmitHangs(t *testing.T) {
	watch(t)
	d := heldSubmit{newScript(8), make(chan struct{}), make(chan struct{}, 1)}
	e := newEngine(d)
	first := newRequest(1)
	go e.push(&first.op)
	<-d.entered
	ctx, cancel := context.WithCancel(t.Context())
	var ended []chan int32
	for i := range 5 {
		ended = append(ended, waitFor(e, newRequest(int64(i+2)), ctx))
	}
	kept := newRequest(9)
	e.push(&kept.op)
	cancel()
	for _, c := range ended {
		if res := <-c; res != ecanceled { // hangs if it waits for the submitter
			t.Errorf("Res = %d; want ECANCELED", res)
		}
	}
	close(d.held)
	if op := d.next(1); op != &kept.op {
		t.Errorf("operation %d was submitted; want 9", op.Off)
	}
	for _, r := range []*request{first, kept} {
		d.answer(&r.op, 0)
		<-r.done
	}
	e.wait()
	if n := len(d.seen); n != 2 {
		t.Errorf("%d operations were submitted; want 2", n)
	}
}

// A Transfer that is abandoned can be started again at once.
func TestTransferAbandoned(t *testing.T) {
	watch(t)
	d := heldSubmit{newScript(8), make(chan struct{}), make(chan struct{}, 1)}
	s := New(async{d}, Limits{Blocking: 4})
	f := NewFile(1, true, false)
	var first, late Transfer
	began := make(chan struct{})
	go func() { s.StartRead(&first, f, make([]byte, 8), 0, 0); close(began) }()
	<-d.entered
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		s.StartRead(&late, f, make([]byte, 8), 8, 0)
		if n, err := late.Wait(ended); n != 0 || err != context.Canceled {
			t.Errorf("Wait = %d, %v; want context.Canceled", n, err)
		}
	}
	close(d.held)
	<-began
	d.answer(d.next(0), 8)
	if n, err := first.Wait(t.Context()); n != 8 || err != nil {
		t.Errorf("Wait = %d, %v; want 8", n, err)
	}
	f.Close()
	s.Close()
	if n := len(d.seen); n != 1 {
		t.Errorf("%d operations were submitted; want 1", n)
	}
}
