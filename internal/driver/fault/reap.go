package fault

import "github.com/sluiceio/sluice/internal/driver"

// Reap implements driver.Driver.
func (d *Driver) Reap(done []*driver.Op, need int) (int, error) {
	n := d.release(done)
	for {
		k, err := d.inner.Reap(done[n:], d.innerNeed(need-n))
		n += d.sort(done[n : n+k])
		n += d.release(done[n:])
		if err != nil || n >= need || d.wokenNow() {
			return n, err
		}
	}
}

// innerNeed is for how many operations of the inner driver to wait, to get
// the rest of a Reap's need. While some are held there may be fewer to come
// from the inner driver than are needed, so each is looked at alone.
func (d *Driver) innerNeed(rest int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) > 0 {
		rest = min(rest, 1)
	}
	return max(rest, 0)
}

// sort settles operations that come from the inner driver, holds back those
// that shall wait, moves the others to the front and reports how many.
func (d *Driver) sort(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, op := range ops {
		d.flying--
		if m := d.marked[op]; m != nil {
			m.settle()
			if d.holds(m) {
				continue
			}
			delete(d.marked, op)
		}
		ops[n] = op
		n++
		d.back++
	}
	return n
}

// holds reports whether m is held back, and sees to it if so.
func (d *Driver) holds(m *mark) bool {
	m.due = d.back + m.verdict.Late
	if m.verdict.Late == 0 && m.verdict.Gate.pass(d) {
		return false
	}
	d.held = append(d.held, m)
	return true
}

// release moves what is no longer to be held back into done.
func (d *Driver) release(done []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, kept := 0, d.held[:0]
	for _, m := range d.held {
		late := m.due > d.back && d.flying > 0
		if n == len(done) || late || !m.verdict.Gate.pass(d) {
			kept = append(kept, m)
			continue
		}
		delete(d.marked, m.op)
		done[n] = m.op
		n++
		d.back++
	}
	clear(d.held[len(kept):])
	d.held = kept
	return n
}

// Wake implements driver.Driver. The inner driver's Wake serves gates too, so
// whether it was asked for by our user is noted.
func (d *Driver) Wake() {
	d.mu.Lock()
	d.woken = true
	d.mu.Unlock()
	d.inner.Wake()
}

// wokenNow takes the Wake that is there, if any.
func (d *Driver) wokenNow() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	woken := d.woken
	d.woken = false
	return woken
}

// gateOpened ends a Reap that waits, unless the driver is closed.
func (d *Driver) gateOpened() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.inner.Wake()
	}
}
