package ioengine

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/hang"
)

// The tests here notice when a threshold is switched off. They say what it brings
// about, and not its number, which is measured: docs/decisions.

// With little in flight a leader that finds mu held goes on to wait for
// completions; with much it waits for mu, and so submits the next batch with the
// wait.
func TestLeaderPassesWithLittleInFlight(t *testing.T) {
	d := script.New(256)
	e := New(d.Staging())
	e.state.Store(running) // a leader that is never back
	write := func() {
		r := newRequest(0)
		r.Op.Code = driver.Write
		e.Push(r)
		e.submitConcurrently()
	}
	if e.mayWaitNow() {
		t.Error("a leader with nothing in flight waits for completions")
	}
	write()
	if !e.mayWaitNow() {
		t.Error("a leader with one operation in flight waits for mu")
	}
	for range 250 {
		write()
	}
	if e.mayWaitNow() {
		t.Errorf("a leader with %d operations in flight does not wait for mu", e.inflight.Load())
	}
}

// reaps counts the Reaps of a script that have returned something.
type reaps struct {
	*script.Driver
	n int // the leader's
}

func (d *reaps) Reap(done []*driver.Op, need int) (int, error) {
	n, err := d.Driver.Reap(done, need)
	if n > 0 {
		d.n++
	}
	return n, err
}

// Operations that have completed together are taken together.
func TestManyAreReapedAtOnce(t *testing.T) {
	hang.Watch(t)
	d := &reaps{Driver: script.New(64)}
	e := New(d)
	all := make([]*Request, 64)
	for i := range all {
		all[i] = newRequest(int64(i))
		all[i].Op.Code = driver.Write
		e.Push(all[i])
	}
	d.Until(func() bool { return len(d.Held) == len(all) })
	d.Mu.Lock()
	for _, r := range all {
		d.Finish(&r.Op, 0)
	}
	d.Mu.Unlock()
	for _, r := range all {
		<-r.done
	}
	e.Wait()
	if d.n != 1 {
		t.Errorf("%d Reaps for %d operations that have completed together; want 1", d.n, len(all))
	}
}
