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
	n := min(len(ops), d.o.Depth-len(d.pending))
	for _, op := range ops[:n] {
		d.enqueue(op)
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
		d.now += d.o.Latency/16 + 1 // each poll takes time
	}
	n := d.completeDue(done)
	for n < need {
		switch {
		case d.woken:
			d.woken = false
			return n, nil
		case len(d.pending) > 0 && d.pending[0].due < never:
			d.now = d.pending[0].due
		default:
			d.changed.Wait()
		}
		n += d.completeDue(done[n:])
	}
	return n, nil
}

// completeDue performs what is due.
func (d *Disk) completeDue(done []*driver.Op) int {
	for n := range done {
		f := d.pending.pop(d.now)
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

// Cancel implements driver.Driver. It ends operations that are held, and half of the
// others.
func (d *Disk) Cancel(op *driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	late := d.cancel.IntN(2) == 0
	f := d.pending.take(op)
	if f == nil {
		return
	}
	if f.due == never || !late {
		f.due, f.errno = d.now, syscall.ECANCELED
	}
	d.pending.add(f)
	d.changed.Signal()
}

// Close implements driver.Driver. It does not remove the files.
func (d *Disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for f := d.pending.pop(never); f != nil; f = d.pending.pop(never) {
		f.op.Res = d.perform(f)
	}
	return nil
}
