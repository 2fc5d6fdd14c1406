// Package fault makes chosen operations of a driver fail, for tests.
//
//	count := fault.NewCounter(2, fault.Verdict{Errno: syscall.EIO})
//	d := fault.New(inner, fault.On(driver.Write, count.Decide))
//	… // the third write fails
//	if !count.Fired() { t.Error("there were not three writes") }
//
// An operation that must fail still goes through the inner driver, disguised as an operation that
// touches nothing. So the inner driver decides batches, room and order.
//
// # Concurrency
//
// A faulty driver is used as any driver.Driver. The goroutine that submits calls the Decider, for
// one operation after another.
package fault

import (
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

// Driver is a driver that gives its operations the verdicts of a Decider.
type Driver struct {
	inner  driver.Driver
	depth  int
	decide Decider

	mu sync.Mutex
	// marked holds the operations in the driver that have a verdict.
	marked map[*driver.Op]*mark
	// waiting holds the verdicts of operations for which the inner driver had no room, so that each
	// is decided on once.
	waiting  map[*driver.Op]Verdict
	held     []*mark // returned by the inner driver, and held back
	inFlight int     // operations in the inner driver
	returned int     // the number of operations returned so far
	woken    bool    // a Wake has come that has not ended a Reap
	closed   bool
}

// mark is an operation that has a verdict.
type mark struct {
	op       *driver.Op
	original driver.Op // as the caller submitted it
	verdict  Verdict
	due      int // of a late one: it is returned when returned has this value
}

// stager is a Driver over a driver.Stager.
type stager struct{ *Driver }

// registrar and stagingRegistrar are Drivers over a driver.Registrar.
type (
	registrar struct {
		*Driver
		memory
	}
	stagingRegistrar struct {
		stager
		memory
	}
)

// memory has the methods that a driver.Registrar adds to a driver.Driver.
type memory interface {
	Register(mem []byte) (index int, err error)
	Unregister(index int)
}

// New wraps inner. The driver that it returns is a driver.Stager if inner is one, and a
// driver.Registrar if inner is one. Closing it closes inner.
func New(inner driver.Driver, decide Decider) driver.Driver {
	d := &Driver{
		inner: inner, depth: inner.Info().Depth, decide: decide,
		marked: map[*driver.Op]*mark{}, waiting: map[*driver.Op]Verdict{},
	}
	_, stages := inner.(driver.Stager)
	reg, registers := inner.(driver.Registrar)
	switch {
	case stages && registers:
		return stagingRegistrar{stager{d}, reg}
	case stages:
		return stager{d}
	case registers:
		return registrar{d, reg}
	}
	return d
}

// Submit implements driver.Driver.
func (d *Driver) Submit(ops []*driver.Op) (int, error) {
	k := d.decideAll(ops)
	n, err := d.inner.Submit(ops[:k])
	d.giveBack(ops[n:k])
	return n, err
}

// Stage implements driver.Stager.
func (s stager) Stage(ops []*driver.Op) int {
	k := s.decideAll(ops)
	n := s.inner.(driver.Stager).Stage(ops[:k])
	s.giveBack(ops[n:k])
	return n
}

// decideAll decides on operations from the front of ops, while there is room, and disguises the
// operations that must fail. It returns how many it has decided on.
func (d *Driver) decideAll(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	busy := d.inFlight + len(d.held)
	n := min(len(ops), d.depth-busy)
	for i, op := range ops[:n] {
		v := d.verdict(op)
		if v.Full && busy+i > 0 {
			n = i
			break
		}
		if v.marks() {
			m := &mark{op: op, original: *op, verdict: v}
			d.marked[op] = m
			m.disguise()
		}
	}
	d.inFlight += n
	return n
}

// verdict returns an earlier verdict on op, or decides now.
func (d *Driver) verdict(op *driver.Op) Verdict {
	v, ok := d.waiting[op]
	if !ok {
		return d.decide(op)
	}
	delete(d.waiting, op)
	return v
}

// giveBack undoes decideAll for operations that the inner driver did not take.
func (d *Driver) giveBack(ops []*driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight -= len(ops)
	for _, op := range ops {
		m := d.marked[op]
		if m == nil {
			d.waiting[op] = Verdict{}
			continue
		}
		delete(d.marked, op)
		d.waiting[op] = m.verdict
		m.undisguise()
	}
}

// Cancel implements driver.Driver. It has no effect on operations that are held back.
func (d *Driver) Cancel(op *driver.Op) { d.inner.Cancel(op) }

// Async implements driver.Driver.
func (d *Driver) Async(op *driver.Op) bool { return d.inner.Async(op) }

// Info implements driver.Driver. It returns the inner driver's Info, so that the scheduler treats
// both alike.
func (d *Driver) Info() driver.Info { return d.inner.Info() }

// Close implements driver.Driver. It does not wait for Gates.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true // gates do not call the closed inner driver from here on
	d.mu.Unlock()
	err := d.inner.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.marked {
		m.settle()
	}
	clear(d.marked)
	d.held = nil
	return err
}
