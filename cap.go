package sluice

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/tune"
)

// measuredCap is where the caps of what is in flight come from: what was measured of
// each disk that has a ring, and, for what has none, of that which the Scheduler's
// first file is on. They are looked for when there are classes.
type measuredCap struct {
	first sync.Once // the first file

	mu     sync.Mutex
	known  bool // device and err are those of the first file. All under mu
	device tune.Device
	err    error
	how    string // for Explain; "" before it was looked for

	ringsMu sync.Mutex // locked last of all
	// rings is, for Explain, the caps of those that have a ring, by name. Under
	// ringsMu.
	rings map[string]string
}

// file is told of each file that is opened.
func (c *measuredCap) file(core *sched.Scheduler, f *os.File) {
	c.first.Do(func() {
		device, err := tune.DeviceOf(f)
		c.mu.Lock()
		c.known, c.device, c.err = true, device, err
		c.mu.Unlock()
		c.look(core)
	})
}

// look looks for the cap once there are classes and a file.
func (c *measuredCap) look(core *sched.Scheduler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || c.how != "" || !core.HasClasses() {
		return
	}
	if c.err != nil {
		c.how = fmt.Sprintf("the default: %v", c.err)
		return
	}
	limit, how := capOf(c.device)
	core.SetCap(limit)
	c.how = how
}

// capOf returns what was measured of a disk, or the default, and which it is.
func capOf(d tune.Device) (c fair.Cap, how string) {
	m, path, err := tune.Load(d)
	switch {
	case err == nil:
		c := fair.Cap{Depth: m.Depth, Bytes: m.Bytes, Beside: m.Beside}
		return c, fmt.Sprintf("%s, measured %s: %s", d.Name, m.Time.Format("2006-01-02"), path)
	case errors.Is(err, fs.ErrNotExist):
		return sched.DefaultCap, fmt.Sprintf("the default; `sluice tune` would measure %s", d.Name)
	}
	return sched.DefaultCap, fmt.Sprintf("the default, as what was measured cannot be used: %v", err)
}

// of returns the cap of the disk of that number, which has a ring.
func (c *measuredCap) of(number uint64) fair.Cap {
	device, err := tune.DeviceAt(number)
	limit, how := sched.DefaultCap, fmt.Sprintf("the default: %v", err)
	if err == nil {
		limit, how = capOf(device)
	}
	c.ringsMu.Lock()
	defer c.ringsMu.Unlock()
	if c.rings == nil {
		c.rings = make(map[string]string)
	}
	name := cmp.Or(device.Name, fmt.Sprintf("device %#x", number))
	c.rings[name] = capText(limit, how)
	return limit
}

// capText is what Explain says of a cap.
func capText(c fair.Cap, how string) string {
	return fmt.Sprintf("at most %d operations and %d KiB at once, %d KiB of a class beside one of more weight (%s)",
		c.Depth, c.Bytes>>10, c.Beside>>10, how)
}

// explain tells of the disks that have a ring.
func (c *measuredCap) explain(b *strings.Builder) {
	c.ringsMu.Lock()
	defer c.ringsMu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.rings)) {
		fmt.Fprintf(b, "  on %s: %s\n", name, c.rings[name])
	}
}

// String is for Explain.
func (c *measuredCap) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.how == "" {
		return "the default, before a file is open"
	}
	return c.how
}
