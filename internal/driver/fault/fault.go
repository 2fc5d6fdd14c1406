// Package fault makes chosen operations of any driver fail.
//
//	count := fault.NewCounter(2, fault.Verdict{Errno: syscall.EIO})
//	d := fault.New(inner, fault.On(driver.Write, count.Decide))
//	… // the third write fails
//	if !count.Fired() { t.Error("there were not three writes") }
//
// What fails goes through the inner driver all the same, as an operation that
// touches nothing, so that batches, room and order are those of that driver.
//
// # Concurrency
//
// A faulty driver is used as any driver.Driver. The decider is called by the
// goroutine that submits, for one operation after another.
package fault

import (
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

// Driver is a driver whose operations meet with what a Decider says.
type Driver struct {
	inner  driver.Driver
	depth  int
	decide Decider

	mu sync.Mutex
	// marked holds the operations taken that have a verdict to meet.
	marked map[*driver.Op]*mark
	// waiting holds verdicts on operations for which the inner driver then
	// had no room, so that each is decided on once.
	waiting map[*driver.Op]Verdict
	held    []*mark // back from the inner driver, not yet to be returned
	flying  int     // in the inner driver
	back    int     // returned, of all that were ever taken
	woken   bool    // a Wake of ours that has not ended a Reap
	closed  bool
}

// mark is an operation with a verdict.
type mark struct {
	op      *driver.Op
	before  driver.Op // as the caller gave it
	verdict Verdict
	due     int     // for a late one: what back must come to
	rest    []*mark // of a chain: those after the first
}

// stager is a Driver over one that can stage.
type stager struct{ *Driver }

// registrar and stagingRegistrar are Drivers over one that wants to know
// memory.
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

// memory passes on what is said of memory.
type memory interface {
	Register(mem []byte) (index int, err error)
	Unregister(index int)
}

// New wraps inner. The driver it returns is a driver.Stager if inner is one, a
// driver.Registrar if inner is one, a driver.Linker if inner is one and a
// Registrar, and closes inner when it is closed.
func New(inner driver.Driver, decide Decider) driver.Driver {
	d := &Driver{
		inner: inner, depth: inner.Info().Depth, decide: decide,
		marked: map[*driver.Op]*mark{}, waiting: map[*driver.Op]Verdict{},
	}
	_, stages := inner.(driver.Stager)
	reg, registers := inner.(driver.Registrar)
	_, links := inner.(driver.Linker)
	switch {
	case links && registers:
		return linker{stagingRegistrar{stager{d}, reg}}
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
	k := d.judge(ops)
	n, err := d.inner.Submit(ops[:k])
	d.giveBack(ops[n:k])
	return n, err
}

// Stage implements driver.Stager.
func (s stager) Stage(ops []*driver.Op) int {
	k := s.judge(ops)
	n := s.inner.(driver.Stager).Stage(ops[:k])
	s.giveBack(ops[n:k])
	return n
}

// judge decides on a prefix of ops, for which there is room, disguises those
// of it that shall fail, and reports its length.
func (d *Driver) judge(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	busy := d.flying + len(d.held)
	n := min(len(ops), d.depth-busy)
	for i, op := range ops[:n] {
		v := d.verdict(op)
		if v.Full && busy+i > 0 {
			n = i
			break
		}
		m := &mark{op: op, before: *op, verdict: v}
		switch {
		case op.Then != nil:
			d.marked[op] = m
			d.judgeChain(m)
		case v.marks():
			d.marked[op] = m
			m.disguise()
		}
	}
	d.flying += n
	return n
}

// verdict is what was or is now decided on op.
func (d *Driver) verdict(op *driver.Op) Verdict {
	v, ok := d.waiting[op]
	if !ok {
		return d.decide(op)
	}
	delete(d.waiting, op)
	return v
}

// giveBack undoes judge for operations that the inner driver did not take.
func (d *Driver) giveBack(ops []*driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flying -= len(ops)
	for _, op := range ops {
		m := d.marked[op]
		if m == nil {
			d.waiting[op] = Verdict{}
			continue
		}
		delete(d.marked, op)
		for _, m := range m.all() {
			d.waiting[m.op] = m.verdict
			m.undisguise()
		}
	}
}

// Cancel implements driver.Driver. It comes too late for what is held back.
func (d *Driver) Cancel(op *driver.Op) { d.inner.Cancel(op) }

// Async implements driver.Driver.
func (d *Driver) Async(op *driver.Op) bool { return d.inner.Async(op) }

// Info implements driver.Driver. It is the inner driver's, so that nobody
// treats the faulty one differently.
func (d *Driver) Info() driver.Info { return d.inner.Info() }

// Close implements driver.Driver. It does not wait for gates.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true // no gate wakes the inner driver from here on
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
