package fault

import "sync"

// Gate holds operations back until it is opened, as a stuck device does. Any number of operations
// of any number of drivers can wait at one. The zero value is a closed gate.
type Gate struct {
	mu      sync.Mutex
	open    bool
	drivers map[*Driver]bool // the drivers that have operations waiting here
}

// Open lets all operations pass, from now on.
func (g *Gate) Open() {
	g.mu.Lock()
	drivers := g.drivers
	g.open, g.drivers = true, nil
	g.mu.Unlock()
	for d := range drivers {
		d.gateOpened()
	}
}

// Waiting reports whether an operation waits at the gate. Reap must be running: it holds back the
// results of the inner driver.
func (g *Gate) Waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.drivers) > 0
}

// pass reports whether operations pass. If not, Open calls d.gateOpened. A nil Gate
// lets all pass.
func (g *Gate) pass(d *Driver) bool {
	if g == nil {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open {
		if g.drivers == nil {
			g.drivers = map[*Driver]bool{}
		}
		g.drivers[d] = true
	}
	return g.open
}
