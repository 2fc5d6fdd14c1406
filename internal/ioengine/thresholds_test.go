package ioengine

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The tests here notice when a threshold is switched off. Each test says what its threshold brings
// about, and not its number, which is measured: docs/decisions.

// With little in flight a leader that finds mu held goes on to wait for
// completions; with much it waits for mu, and so submits the next batch with the
// wait.
func TestLeaderPassesWithLittleInFlight(t *testing.T) {
	d := script.New(256)
	e := newEngine(d.Staging())
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

// submissions has the size of each batch that was submitted.
type submissions struct {
	*script.Driver
	sizes []int
}

func (d *submissions) Submit(ops []*driver.Op) (int, error) {
	n, err := d.Driver.Submit(ops)
	d.sizes = append(d.sizes, n)
	return n, err
}

// While the leader makes goroutines ready, pushers submit without it, in batches that
// grow with the number of operations in flight.
func TestPushersSubmitInBatches(t *testing.T) {
	d := &submissions{Driver: script.New(256)}
	e := newEngine(d)
	e.state.Store(running) // a leader that is never back
	for i := range 250 {
		r := newRequest(int64(i))
		r.Op.Code = driver.Write
		e.Push(r)
	}
	switch {
	case len(d.sizes) < 3:
		t.Fatalf("batches of %d were submitted of 250 operations; want several: the device is idle while the leader runs", d.sizes)
	case d.sizes[0] < 2:
		t.Errorf("batches of %d were submitted: the first operation has not waited for others", d.sizes)
	case d.sizes[len(d.sizes)-1] <= d.sizes[0]:
		t.Errorf("batches of %d were submitted: they do not grow with what is in flight", d.sizes)
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
	e := newEngine(d)
	all := make([]*Request, 64)
	for i := range all {
		all[i] = newRequest(int64(i))
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
