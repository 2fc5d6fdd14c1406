package ioengine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// waitFor pushes r's operation and waits for it as long as ctx has not ended.
func waitFor(e *Engine, r *Request, ctx context.Context) chan int32 {
	res := make(chan int32, 1)
	e.Push(r)
	go func() { r.Wait(ctx); res <- r.Op.Res }()
	return res
}

// cancel cancels r as if it had been pushed to e.
func cancel(e *Engine, r *Request) {
	r.ring = e
	r.Cancel()
}

// An operation that the driver has no room for ends with its context.
func TestCancelInBacklog(t *testing.T) {
	script.Run(t, 1, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		e := newEngine(drv)
		first := newRequest(0)
		e.Push(first)
		d.Next(0)
		var cancels []context.CancelFunc
		var res []chan int32
		for i := range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels, res = append(cancels, cancel), append(res, waitFor(e, newRequest(int64(i+1)), ctx))
		}
		for _, i := range []int{2, 4, 0} { // the middle, the last, the first
			cancels[i]()
			if r := <-res[i]; r != Canceled {
				t.Errorf("operation %d = %d; want ECANCELED", i, r)
			}
		}
		d.Answer(&first.Op, 0)
		for n, i := range []int{1, 3} {
			op := d.Next(n + 1)
			if op.Off != int64(i+1) {
				t.Errorf("operation %d follows; want %d", op.Off, i+1)
			}
			d.Answer(op, 7)
			if r := <-res[i]; r != 7 {
				t.Errorf("operation %d = %d; want 7", i, r)
			}
			cancels[i]()
		}
		<-first.done
		e.Wait()
	})
}

// An operation that the driver has is waited for: it may be writing into the
// buffer. Its result is whatever the driver then says.
func TestCancelInDriver(t *testing.T) {
	for _, want := range []int32{Canceled, 512} {
		script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
			e := newEngine(drv)
			ctx, cancel := context.WithCancel(t.Context())
			r := newRequest(0)
			res := waitFor(e, r, ctx)
			op := d.Next(0)
			cancel()
			d.Until(func() bool { return len(d.Cancelled) == 1 })
			if d.Cancelled[0] != op {
				t.Error("another operation was cancelled")
			}
			select {
			case <-res:
				t.Error("the goroutine went on while the driver had its buffer")
			default:
			}
			d.Answer(op, want)
			if got := <-res; got != want {
				t.Errorf("Res = %d; want %d", got, want)
			}
			e.Wait()
		})
	}
}

// A cancellation that crosses the completion changes nothing.
func TestCancelWhenDone(t *testing.T) {
	script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		d.Rule = func(*driver.Op) (int32, bool) { return 3, true }
		e := newEngine(drv)
		r := newRequest(0)
		e.Push(r)
		e.Wait()
		cancel(e, r)
		<-r.done
		if r.Op.Res != 3 {
			t.Errorf("Res = %d; want 3", r.Op.Res)
		}
		select {
		case <-r.done:
			t.Error("done twice")
		default:
		}
	})
}

// A cancel may reach a driver that was lost before it had the operation, which another driver had
// before that.
func TestCancelInAnotherDriver(t *testing.T) {
	hang.Watch(t)
	drv, err := aio.New(aio.Options{Depth: 32})
	if err != nil {
		skip.ForDriver(t, "aio", err)
	}
	e := newEngine(drv)
	e.lose(syscall.EPERM)
	r := newRequest(0)
	r.Op.Token = 1000 // the other driver has more room
	e.Push(r)
	r.Wait(t.Context())
	r.Cancel()
	if r.Op.Res != Canceled {
		t.Errorf("an operation of a lost driver = %d; want ECANCELED", r.Op.Res)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A cancel empties the inbox to look for its own operation. The other operations
// that it finds must reach the driver, although their pushers have seen that another
// goroutine holds mu, and the leader is asleep.
func TestCancelForwardsWhatCameAlong(t *testing.T) {
	script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		e := newEngine(drv)
		stuck, mine, other := newRequest(1), newRequest(2), newRequest(3)
		e.Push(stuck)
		d.Next(0)
		hang.Eventually(func() bool { return e.state.Load() == blocked })
		e.mu.Lock() // the pushers find mu held, and leave the rest to the goroutine that holds it
		e.Push(mine)
		e.Push(other)
		e.mu.Unlock() // without a look at the inbox, which is the cancel's to submit
		cancel(e, mine)
		<-mine.done
		if mine.Op.Res != Canceled {
			t.Errorf("cancelled operation = %d; want ECANCELED", mine.Op.Res)
		}
		op := d.Next(1) // hangs if nobody submits it
		if op != &other.Op {
			t.Errorf("operation %d was submitted; want 3", op.Off)
		}
		d.Answer(op, 0)
		<-other.done
		d.Answer(&stuck.Op, 0)
		<-stuck.done
		e.Wait()
	})
}

// The same where no leader is left: the last one has retired while the inbox
// had been emptied by the cancel.
func TestCancelStartsALeaderForWhatCameAlong(t *testing.T) {
	script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		d.Rule = func(*driver.Op) (int32, bool) { return 0, true }
		e := newEngine(drv)
		mine, other := newRequest(2), newRequest(3)
		e.Push(mine)
		<-mine.done
		e.Wait()
		// other's pusher has linked it, and has read running a moment before
		// the leader retired.
		other.Op.Next = nil
		other.where.Store(inQueue)
		e.inbox.Store(&other.Op)
		cancel(e, mine) // its context ended as it was done
		<-other.done    // hangs if nobody leads
		e.Wait()
	})
}

// Cancellations, completions and new operations, all at once.
func TestCancelStress(t *testing.T) {
	start := seed.Of(t)
	for _, depth := range []int{1, 2, 4, 64} {
		for _, procs := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("Depth%d/GOMAXPROCS%d", depth, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
					d.Rule = func(op *driver.Op) (int32, bool) { return int32(op.Off), true }
					e := newEngine(drv)
					cancelStress(t, e, start, 16, 100)
					e.Wait()
				})
			})
		}
	}
}

func cancelStress(t *testing.T, e *Engine, start uint64, goroutines, each int) {
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
				e.Push(r)
				r.Wait(ctx)
				if r.Op.Res != int32(r.Op.Off) && r.Op.Res != Canceled {
					t.Errorf("Res = %d; want %d or ECANCELED", r.Op.Res, r.Op.Off)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

// Hazard: a pusher finds mu held while another goroutine submits, and leaves. Guard: the goroutine
// that has held mu looks at the inbox again (cancel).
func TestPushedWhileCancelling(t *testing.T) {
	script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		e := newEngine(drv)
		pushedWhile(t, d, e, func(op *driver.Op) { e.Queue(requestOf(op)); cancel(e, newRequest(9)) })
		e.Wait()
	})
}

// pushedWhile has one operation be pushed while submit submits another, and a
// leader waits for a third.
func pushedWhile(t *testing.T, d *script.Driver, e *Engine, submit func(op *driver.Op)) {
	stuck, first, late := newRequest(0), newRequest(1), newRequest(2)
	e.Push(stuck)
	d.Next(0)
	hang.Eventually(func() bool { return e.state.Load() == blocked })
	d.Rule = func(op *driver.Op) (int32, bool) {
		if op.Off == 1 {
			e.Push(late)
		}
		return 0, false
	}
	submit(&first.Op)
	d.Until(func() bool { return len(d.Seen) == 3 }) // hangs if it is forgotten
	for _, r := range []*Request{stuck, first, late} {
		d.Answer(&r.Op, 0)
		<-r.done
	}
}

// The same hazard, with an owner that submits in place of the cancel.
func TestPushedWhileGroupSubmits(t *testing.T) {
	script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		e := newEngine(drv)
		pushedWhile(t, d, e, func(op *driver.Op) { e.Queue(requestOf(op)); e.submitInbox() })
		e.Wait()
	})
}

// Hazard: a submitter that does not return has the lock, and nothing behind it ends with
// its context. Guard: it is abandoned where it is (request.where).
func TestCancelWhileSubmitHangs(t *testing.T) {
	hang.Watch(t)
	d := script.NewHeld(8)
	e := newEngine(d)
	first := newRequest(1)
	go e.Push(first)
	<-d.Entered
	ctx, cancel := context.WithCancel(t.Context())
	var ended []chan int32
	for i := range 5 {
		ended = append(ended, waitFor(e, newRequest(int64(i+2)), ctx))
	}
	kept := newRequest(9)
	e.Push(kept)
	cancel()
	for _, c := range ended {
		if res := <-c; res != Canceled { // hangs if it waits for the submitter
			t.Errorf("Res = %d; want ECANCELED", res)
		}
	}
	close(d.Released)
	if op := d.Next(1); op != &kept.Op {
		t.Errorf("operation %d was submitted; want 9", op.Off)
	}
	for _, r := range []*Request{first, kept} {
		d.Answer(&r.Op, 0)
		<-r.done
	}
	e.Wait()
	if n := len(d.Seen); n != 2 {
		t.Errorf("%d operations were submitted; want 2", n)
	}
}
