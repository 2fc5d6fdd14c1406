package ioengine

import (
	"errors"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// atOnce is a driver that completes operations as it takes them. It returns err from Reap.
type atOnce struct {
	done  []*driver.Op
	err   error
	reaps int // that have found something
}

func (d *atOnce) Submit(ops []*driver.Op) (int, error) {
	d.done = append(d.done, ops...)
	return len(ops), nil
}

func (d *atOnce) Reap(done []*driver.Op, _ int) (int, error) {
	n := copy(done, d.done)
	d.done = d.done[n:]
	if n > 0 {
		d.reaps++
	}
	return n, d.err
}

func (d *atOnce) Wake()                 {}
func (d *atOnce) Cancel(*driver.Op)     {}
func (d *atOnce) Async(*driver.Op) bool { return true }
func (d *atOnce) Info() driver.Info     { return driver.Info{Name: "at once", Depth: 128} }
func (d *atOnce) Close() error          { return nil }

// pushed pushes n operations to e, and returns how many of them have ended.
func pushed(e *Engine, n int) (ended int) {
	var all []*Request
	for i := range n {
		all = append(all, newRequest(int64(i)))
		e.Push(all[i])
	}
	for _, r := range all {
		ended += len(r.done)
	}
	return ended
}

// The submitter of a batch hands over what has completed while the leader is running, and the
// leader looks again before it waits.
func TestSubmitterReaps(t *testing.T) {
	d := new(atOnce)
	e := newEngine(d)
	e.minDivided = 0
	e.state.Store(running) // a leader that does something else
	if n := pushed(e, minSubmitThreshold-1); n != 0 || d.reaps != 0 {
		t.Errorf("%d operations have ended before there was a batch", n)
	}
	if n := pushed(e, 1); n != 1 || e.inflight.Load() != 0 || d.reaps != 1 {
		t.Errorf("%d of 1 operations have ended, %d are in flight; want 1, 0", n, e.inflight.Load())
	}
	if n, err := e.reap(); n != 0 || err != nil || e.load.now.Operations != minSubmitThreshold || e.load.now.Reaps != 0 {
		t.Errorf("reap = %d, %v, with %+v; want 0, and %d operations for the window", n, err, e.load.now, minSubmitThreshold)
	}
	d.done = append(d.done, &newRequest(0).Op)
	e.inflight.Store(3)
	if n, err := e.reap(); n != 1 || err != nil || e.load.now.Reaps != 1 || e.reapedOf.Load() != 3 {
		t.Errorf("the next reap = %d of %d, %v, with %+v; want 1 of 3 in 1 Reap", n, e.reapedOf.Load(), err, e.load.now)
	}
}

// A submitter reaps nothing if the leader does, may, or makes relays.
func TestSubmitterDoesNotReap(t *testing.T) {
	for name, prepare := range map[string]func(e *Engine){
		"the leader is blocked": func(e *Engine) { e.state.Store(blocked) },
		"somebody reaps":        func(e *Engine) { e.help.reaping.Lock() },
		"processors are taken": func(e *Engine) {
			e.rings.Processors.Waits(0)
			e.rings.Processors.Waited(time.Second, time.Second)
		},
	} {
		d := new(atOnce)
		e := newEngine(d)
		e.minDivided = 0
		e.state.Store(running)
		prepare(e)
		if pushed(e, minSubmitThreshold); d.reaps != 0 || len(d.done) != minSubmitThreshold {
			t.Errorf("%s: a submitter has reaped, or has not submitted", name)
		}
	}
}

// The operations that come with an error end, and the driver is lost.
func TestSubmitterFindsLoss(t *testing.T) {
	e := newEngine(&atOnce{err: errors.New("lost")})
	losses := 0
	e.minDivided = 0
	e.rings.OnLoss = func() { losses++ }
	e.rings.all.set([]*Engine{e})
	e.state.Store(running)
	pushed(e, minSubmitThreshold-1)
	if n := pushed(e, 1); n != 1 || !e.Lost() || losses != 1 {
		t.Errorf("%d of 1 operations have ended, Lost = %t after %d losses", n, e.Lost(), losses)
	}
}
