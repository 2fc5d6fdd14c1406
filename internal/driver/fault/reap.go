package fault

import "github.com/sluiceio/sluice/internal/driver"

// Reap implements driver.Driver.
func (d *Driver) Reap(done []*driver.Op, need int) (int, error) {
	n := d.release(done)
	for {
		k, err := d.inner.Reap(done[n:], d.innerNeed(need-n))
		n += d.sortOut(done[n : n+k])
		n += d.release(done[n:])
		if err != nil || n >= need || d.wokenNow() {
			return n, err
		}
	}
}

// innerNeed returns how many operations of the inner driver Reap must wait for, if it needs rest
// more. While operations are held back, the inner driver may have fewer. Reap then takes one at a
// time.
func (d *Driver) innerNeed(rest int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) > 0 {
		rest = min(rest, 1)
	}
	return max(rest, 0)
}

// sortOut settles operations that the inner driver has returned. It holds some back, moves the rest
// to the front of ops, and returns the number of the rest.
func (d *Driver) sortOut(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, op := range ops {
		d.inFlight--
		if m := d.marked[op]; m != nil {
			m.settle()
			if d.holds(m) {
				continue
			}
			delete(d.marked, op)
		}
		ops[n] = op
		n++
		d.returned++
	}
	return n
}

// holds reports whether m must be held back, and adds it to held if so.
func (d *Driver) holds(m *mark) bool {
	m.due = d.returned + m.verdict.Late
	if m.verdict.Late == 0 && m.verdict.Gate.pass(d) {
		return false
	}
	d.held = append(d.held, m)
	return true
}

// release moves operations that need not be held back any more to done.
func (d *Driver) release(done []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, kept := 0, d.held[:0]
	for _, m := range d.held {
		late := m.due > d.returned && d.inFlight > 0
		if n == len(done) || late || !m.verdict.Gate.pass(d) {
			kept = append(kept, m)
			continue
		}
		delete(d.marked, m.op)
		done[n] = m.op
		n++
		d.returned++
	}
	clear(d.held[len(kept):])
	d.held = kept
	return n
}

// Wake implements driver.Driver. It notes the caller's Wake, as gates call the inner
// driver's Wake, too.
func (d *Driver) Wake() {
	d.mu.Lock()
	d.woken = true
	d.mu.Unlock()
	d.inner.Wake()
}

// wokenNow consumes a pending Wake.
func (d *Driver) wokenNow() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	woken := d.woken
	d.woken = false
	return woken
}

// gateOpened ends a waiting Reap, unless the driver is closed.
func (d *Driver) gateOpened() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.inner.Wake()
	}
}
