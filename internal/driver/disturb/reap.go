package disturb

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// Reap implements driver.Driver.
func (d *Driver) Reap(done []*driver.Op, need int) (int, error) {
	n := d.release(done)
	for {
		k, err := d.reapInner(done[n:], need-n)
		n += d.sortOut(done[n:n+k], err != nil)
		n += d.release(done[n:])
		if err != nil || n >= need || d.wokenNow() {
			return n, err
		}
		d.await()
	}
}

// reapInner is Reap of the inner driver, for a caller that needs rest operations more. It also
// returns when the first operation that is held back is due.
func (d *Driver) reapInner(done []*driver.Op, rest int) (int, error) {
	d.mu.Lock()
	switch {
	case rest <= 0 || d.woken || len(d.held) > 0 && d.inFlight == 0:
		rest = 0
	case len(d.held) > 0:
		rest = 1
		alarm := time.AfterFunc(time.Until(d.held[0].due), d.wakeInner)
		defer alarm.Stop()
	}
	d.mu.Unlock()
	return d.inner.Reap(done, rest)
}

// sortOut settles operations that the inner driver has returned. It holds some back, moves the rest
// to the front of ops, in another order, and returns the number of the rest. lost says that the
// inner driver is lost.
func (d *Driver) sortOut(ops []*driver.Op, lost bool) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = d.lost || lost
	d.inFlight -= len(ops)
	slices.SortFunc(ops, func(a, b *driver.Op) int { return cmp.Compare(d.fates[a].rank, d.fates[b].rank) })
	now, n := time.Now(), 0
	for _, op := range ops {
		f := d.fates[op]
		f.settle()
		f.count(d.o.Counts)
		if f.hold > 0 && !d.lost {
			f.held, f.due = true, now.Add(f.hold)
			d.held = append(d.held, f)
			d.o.Counts.Held.Add(1)
			continue
		}
		delete(d.fates, op)
		ops[n] = op
		n++
	}
	d.sortHeld()
	return n
}

// sortHeld sorts held. It must be called with mu held.
func (d *Driver) sortHeld() { slices.SortFunc(d.held, before) }

// release moves operations that are due to done, and returns their number.
func (d *Driver) release(done []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, n := time.Now(), 0
	for n < len(done) && n < len(d.held) && (d.lost || !d.held[n].due.After(now)) {
		done[n] = d.held[n].op
		delete(d.fates, done[n])
		n++
	}
	d.held = slices.Delete(d.held, 0, n)
	return n
}

// await waits until an operation that is held back is due, or until something else has changed. It
// returns at once if the inner driver has operations, or nothing is held back: then Reap waits in
// the inner driver.
func (d *Driver) await() {
	d.mu.Lock()
	if d.inFlight > 0 || len(d.held) == 0 || d.woken {
		d.mu.Unlock()
		return
	}
	wait := time.Until(d.held[0].due)
	d.mu.Unlock()
	due := time.NewTimer(wait)
	defer due.Stop()
	select {
	case <-due.C:
	case <-d.look:
	}
}

// Wake implements driver.Driver. It notes the caller's Wake, as alarms and Cancel call the inner
// driver's Wake, too.
func (d *Driver) Wake() {
	d.mu.Lock()
	d.woken = true
	d.mu.Unlock()
	d.inner.Wake()
	d.signal()
}

// wokenNow consumes a pending Wake.
func (d *Driver) wokenNow() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	woken := d.woken
	d.woken = false
	return woken
}
