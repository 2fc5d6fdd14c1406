// Package script is a driver that a test plays.
package script

import (
	"slices"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Driver is a driver that a test plays. It holds submitted operations until the test, or its Rule,
// answers them.
type Driver struct {
	Depth   int // how many operations it has room for
	Workers int // Info's
	// Rule, if not nil, returns the result of each operation as it is submitted. With ok false the
	// test answers it.
	Rule func(op *driver.Op) (res int32, ok bool)

	Mu        sync.Mutex
	changed   sync.Cond
	staged    []*driver.Op // not submitted yet
	Held      []*driver.Op // submitted and not answered, oldest first
	done      []*driver.Op // answered and not reaped
	Seen      []*driver.Op // all that were ever submitted, in that order
	Cancelled []*driver.Op
	inflight  int
	woken     bool // by a Wake that has not ended a Reap
	Closed    bool
}

// Stager is a Driver that can stage.
type Stager struct{ *Driver }

// Staging returns d as a driver that can stage.
func (d *Driver) Staging() Stager { return Stager{d} }

// New returns a Driver that has room for depth operations.
func New(depth int) *Driver {
	d := &Driver{Depth: depth}
	d.changed.L = &d.Mu
	return d
}

func (d *Driver) take(ops []*driver.Op, to *[]*driver.Op) int {
	n := min(len(ops), d.Depth-d.inflight)
	*to = append(*to, ops[:n]...)
	d.inflight += n
	return n
}

// Submit holds ops, as many as there is room for.
func (d *Driver) Submit(ops []*driver.Op) (int, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	n := d.take(ops, &d.staged)
	d.flush()
	return n, nil
}

// Stage keeps ops for the next Submit or Reap.
func (s Stager) Stage(ops []*driver.Op) int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.take(ops, &s.staged)
}

// flush submits the staged operations. It must be called with Mu held.
func (d *Driver) flush() {
	for _, op := range d.staged {
		d.Seen = append(d.Seen, op)
		d.Held = append(d.Held, op)
		if d.Rule == nil {
			continue
		}
		if res, ok := d.Rule(op); ok {
			d.Finish(op, res)
		}
	}
	d.staged = d.staged[:0]
	d.changed.Broadcast()
}

// Finish answers op. It must be called with Mu held.
func (d *Driver) Finish(op *driver.Op, res int32) {
	i := slices.Index(d.Held, op)
	if i < 0 {
		panic("script: answered an operation that is not held")
	}
	d.Held = slices.Delete(d.Held, i, i+1)
	op.Res = res
	d.done = append(d.done, op)
	d.changed.Broadcast()
}

// Reap returns answered operations.
func (d *Driver) Reap(done []*driver.Op, need int) (int, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.flush()
	for len(d.done) < need && !d.woken {
		d.changed.Wait()
	}
	if len(d.done) < need {
		d.woken = false
	}
	n := copy(done, d.done)
	d.done = slices.Delete(d.done, 0, n)
	d.inflight -= n
	return n, nil
}

// Cancel notes that op was canceled. The test answers it.
func (d *Driver) Cancel(op *driver.Op) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Cancelled = append(d.Cancelled, op)
	d.changed.Broadcast()
}

// Wake ends a Reap.
func (d *Driver) Wake() {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.woken = true
	d.changed.Broadcast()
}

// Async returns true: no operation needs a thread.
func (d *Driver) Async(*driver.Op) bool { return true }

// Info describes the driver.
func (d *Driver) Info() driver.Info {
	return driver.Info{Name: "script", Depth: d.Depth, Workers: d.Workers}
}

// Close notes that the driver is closed.
func (d *Driver) Close() error {
	d.Closed = true
	if d.inflight > 0 {
		panic("script: closed with operations in flight")
	}
	return nil
}

// Answer ends op, which is held.
func (d *Driver) Answer(op *driver.Op, res int32) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Finish(op, res)
}

// Until waits for ok, which is called with Mu held.
func (d *Driver) Until(ok func() bool) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	for !ok() {
		d.changed.Wait()
	}
}

// Next waits for operation number i, from 0, of all submitted ones.
func (d *Driver) Next(i int) (op *driver.Op) {
	d.Until(func() bool {
		if len(d.Seen) <= i {
			return false
		}
		op = d.Seen[i] // under Mu: the driver may append to Seen at any time
		return true
	})
	return op
}

// Run runs a test with a script that can stage and with one that cannot.
func Run(t *testing.T, depth int, test func(t *testing.T, d *Driver, drv driver.Driver)) {
	t.Run("stager", func(t *testing.T) {
		hang.Watch(t)
		d := New(depth)
		test(t, d, d.Staging())
	})
	t.Run("plain", func(t *testing.T) {
		hang.Watch(t)
		d := New(depth)
		test(t, d, d)
	})
}
