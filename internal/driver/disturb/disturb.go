// Package disturb is a driver in front of another one. It holds completions back for some time,
// returns them in another order, cuts reads short and interrupts operations. A seed decides all
// of it. `sluice test --stress` has it in front of the system's drivers.
//
//	d := disturb.New(inner, disturb.Options{Seed: 1, Longest: 4 * time.Millisecond, Short: 0.1})
//
// Every result is one that the kernel may give. A short read transfers at least one byte, and of a
// file with O_DIRECT whole pages. An interrupted operation touches nothing and ends with -EINTR.
// The inner driver gets it as a Nop, so the inner driver decides batches and room.
//
// # Seed
//
// What happens to an operation depends on the seed, on its code, offset and length, and on how many
// such operations came before. It does not depend on other operations, on descriptors or on time.
// After 16,384 operations of a driver, what costs time becomes rarer with their number: late
// completions, and what the page cache drops.
//
// # Waiting
//
// A completion that is held back was performed: it is late, but no operation is. The operation
// still counts as one in flight. Reap waits in the inner driver while that has operations, and an
// alarm ends the wait when a completion is due. While the inner driver has none, Reap waits on a
// channel, so that a bubble of testing/synctest can advance its time.
//
// # Concurrency
//
// A disturbed driver is used as any driver.Driver.
package disturb

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// Options says how operations are disturbed. The zero value disturbs none.
type Options struct {
	Seed uint64
	// Longest is the longest time that a completion is held back; 0 for none. Half of them are not
	// held back, and most of the rest for at most a sixteenth of Longest.
	Longest time.Duration
	// Short is the fraction of reads that are cut short, and Interrupted the fraction of all
	// operations that are interrupted, from 0 to 1.
	Short, Interrupted float64
	// Dropped is the fraction of reads before which Drop is called, from 0 to 1. Drop removes from
	// the page cache the bytes that will be read; in an eighth of the cases all of the file's, and
	// gets 0, 0 then.
	Dropped float64
	Drop    func(fd int, off, n int64)
	// Counts, if not nil, counts what was done. Several drivers may share it.
	Counts *Counts
}

// Counts counts what was done.
type Counts struct{ Held, Short, Interrupted, Dropped atomic.Int64 }

// Driver is a driver that disturbs the operations of another one.
type Driver struct {
	inner driver.Driver
	depth int
	o     Options
	// look holds a value when a Reap that waits on it must look again.
	look chan struct{}

	mu    sync.Mutex
	seen  map[uint64]uint32 // how many operations came, by the hash of what they do
	fates map[*driver.Op]*fate
	// decided is the number of operations that were decided on.
	decided uint64
	// held are operations that the inner driver has returned, and that Reap has not, in the order
	// in which they are due.
	held     []*fate
	inFlight int  // operations in the inner driver
	woken    bool // by a Wake that has not ended a Reap
	lost     bool // the inner driver is lost: nothing is held back any more
	closed   bool
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

var (
	_ driver.Stager    = stager{}
	_ driver.Registrar = registrar{}
)

// New returns a driver in front of inner, which it owns. It is a driver.Stager and a
// driver.Registrar if inner is one. It does not count waits.
func New(inner driver.Driver, o Options) driver.Driver {
	if o.Counts == nil {
		o.Counts = new(Counts)
	}
	d := &Driver{
		inner: inner, depth: inner.Info().Depth, o: o,
		look: make(chan struct{}, 1), seen: make(map[uint64]uint32), fates: make(map[*driver.Op]*fate),
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
func (d *Driver) Submit(ops []*driver.Op) (int, error) { return d.put(ops, d.inner.Submit) }

// Stage implements driver.Stager.
func (s stager) Stage(ops []*driver.Op) int {
	n, _ := s.put(ops, func(ops []*driver.Op) (int, error) { return s.inner.(driver.Stager).Stage(ops), nil })
	return n
}

// put decides on operations from the front of ops, as many as there is room for, and hands them to
// the inner driver by take.
func (d *Driver) put(ops []*driver.Op, take func([]*driver.Op) (int, error)) (int, error) {
	k := d.decideAll(ops)
	n, err := take(ops[:k])
	d.giveBack(ops[n:k])
	d.signal()
	return n, err
}

// decideAll decides on operations from the front of ops, and returns their number.
func (d *Driver) decideAll(ops []*driver.Op) int {
	d.mu.Lock()
	n := min(len(ops), d.depth-d.inFlight-len(d.held))
	d.inFlight += n
	var drop []*fate
	for _, op := range ops[:n] {
		f := d.decide(op)
		if f.drops {
			drop = append(drop, f)
		}
		f.disguise()
		d.fates[op] = f
	}
	d.mu.Unlock()
	for _, f := range drop { // which may take long
		d.drop(f)
	}
	return n
}

// drop removes from the page cache what an operation is about to read, or the whole file.
func (d *Driver) drop(f *fate) {
	d.o.Counts.Dropped.Add(1)
	off, n := f.original.Off, int64(len(f.original.Buf))
	if f.whole {
		off, n = 0, 0
	}
	d.o.Drop(int(f.original.FD), off, n)
}

// giveBack undoes decideAll for operations that the inner driver did not take.
func (d *Driver) giveBack(ops []*driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight -= len(ops)
	for _, op := range ops {
		f := d.fates[op]
		delete(d.fates, op)
		f.restore()
		d.seen[f.key]--
	}
}

// signal makes a Reap that waits on the channel look again.
func (d *Driver) signal() {
	select {
	case d.look <- struct{}{}:
	default:
	}
}

// Cancel implements driver.Driver. A completion that is held back is due at once, with its result.
func (d *Driver) Cancel(op *driver.Op) {
	if d.hasten(op) {
		d.signal()
		d.wakeInner()
		return
	}
	d.inner.Cancel(op)
}

// hasten keeps op from being held back any longer, and reports whether it is held back now.
func (d *Driver) hasten(op *driver.Op) (held bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.fates[op]
	if f == nil {
		return false
	}
	f.hold, f.due = 0, time.Time{}
	d.sortHeld()
	return f.held
}

// wakeInner ends a Reap of the inner driver, unless that is closed.
func (d *Driver) wakeInner() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.inner.Wake()
	}
}

// Async implements driver.Driver.
func (d *Driver) Async(op *driver.Op) bool { return d.inner.Async(op) }

// Info implements driver.Driver. It returns the inner driver's Info, so that the scheduler treats
// both alike.
func (d *Driver) Info() driver.Info { return d.inner.Info() }

// Close implements driver.Driver. It holds nothing back.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true // alarms do not call the closed inner driver from here on
	d.mu.Unlock()
	err := d.inner.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.fates {
		if !f.held {
			f.settle()
		}
	}
	clear(d.fates)
	d.held = nil
	return err
}
