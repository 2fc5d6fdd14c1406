package fault

import "sync"

// Gate holds operations back, as a device that is stuck does, until it is
// opened. Any number of operations of any number of drivers can wait at one.
// The zero value is a closed gate.
type Gate struct {
	mu      sync.Mutex
	open    bool
	drivers map[*Driver]bool // those that were refused
}

// Open lets all pass, from now on.
func (g *Gate) Open() {
	g.mu.Lock()
	drivers := g.drivers
	g.open, g.drivers = true, nil
	g.mu.Unlock()
	for d := range drivers {
		d.gateOpened()
	}
}

// Waiting reports whether an operation has been held back at the gate, which
// is not opened yet. It becomes so in a Reap.
func (g *Gate) Waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.drivers) > 0
}

// pass reports whether operations pass; where not, d will be told when they
// do. Operations without a gate pass.
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
