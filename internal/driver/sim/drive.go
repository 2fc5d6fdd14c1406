package sim

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Submit implements driver.Driver.
func (d *Disk) Submit(ops []*driver.Op) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, driver.ErrClosed
	}
	n := min(len(ops), d.o.Depth-len(d.flights))
	for _, op := range ops[:n] {
		d.launch(op)
	}
	d.changed.Signal()
	return n, nil
}

// Reap implements driver.Driver.
func (d *Disk) Reap(done []*driver.Op, need int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, driver.ErrClosed
	}
	if need == 0 {
		d.now += d.o.Latency/16 + 1 // who polls passes time
	}
	n := d.land(done)
	for n < need {
		switch {
		case d.woken:
			d.woken = false
			return n, nil
		case len(d.flights) > 0 && d.flights[0].due < never:
			d.now = d.flights[0].due
		default:
			d.changed.Wait()
		}
		n += d.land(done[n:])
	}
	return n, nil
}

// land performs what is due.
func (d *Disk) land(done []*driver.Op) int {
	for n := range done {
		f := d.flights.pop(d.now)
		if f == nil {
			return n
		}
		f.op.Res = d.perform(f)
		done[n] = f.op
	}
	return len(done)
}

// Wake implements driver.Driver.
func (d *Disk) Wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.woken = true
	d.changed.Signal()
}

// Cancel implements driver.Driver: it ends what is held, and half of the rest.
func (d *Disk) Cancel(op *driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	late := d.cancel.IntN(2) == 0
	f := d.flights.take(op)
	if f == nil {
		return
	}
	if f.due == never || !late {
		f.due, f.errno = d.now, syscall.ECANCELED
	}
	d.flights.add(f)
	d.changed.Signal()
}

// Close implements driver.Driver. The files stay.
func (d *Disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for f := d.flights.pop(never); f != nil; f = d.flights.pop(never) {
		f.op.Res = d.perform(f)
	}
	return nil
}
