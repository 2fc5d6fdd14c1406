package handle

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/tune"
)

// caps finds the most that may be in flight while there are classes: the measured cap of each disk
// that has a ring. Operations without a ring have the cap of the first file's disk.
type caps struct {
	first atomic.Bool // a file was opened
	// capOf is the function capOf. It is a field so that a test can replace it.
	capOf func(tune.Device) (fair.Cap, string)

	mu sync.Mutex // not held while a file is read
	// number is the first file's device. Guarded by mu, as are the fields below
	known  bool
	number uint64 // as in stat(2)
	how    string // for Explain; "" before the look for the cap

	ringsMu sync.Mutex // locked after all others
	// rings is the text for Explain of each disk that has a ring, by name. Guarded by ringsMu.
	rings map[string]string
}

// opened is called with each opened file. It only stores the number of the first file's device:
// look searches for the disk in /sys once there are classes, which most programs never have.
func (c *caps) opened(core *sched.Scheduler, f *sched.File) {
	if c.first.Load() || !c.first.CompareAndSwap(false, true) {
		return
	}
	number := core.DeviceOf(f).Number
	c.mu.Lock()
	c.known, c.number = true, number
	c.mu.Unlock()
	c.look(core)
}

// look finds the cap once there are classes and a file. It may wait for the file with the measured
// caps. Other goroutines use the default until then.
func (c *caps) look(core *sched.Scheduler) {
	if !c.begin(core) {
		return
	}
	var how string
	if device, err := tune.DeviceAt(c.number); err != nil {
		how = fmt.Sprintf("the default: %v", err)
	} else {
		var limit fair.Cap
		limit, how = c.capOf(device)
		core.SetCap(limit)
	}
	c.mu.Lock()
	c.how = how
	c.mu.Unlock()
}

// begin reports whether the caller must find the cap now. From then on number does not change.
func (c *caps) begin(core *sched.Scheduler) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || c.how != "" || !core.HasClasses() {
		return false
	}
	c.how = "the default, until what was measured has been read"
	return true
}

// capOf returns the measured cap of a disk, or the default, and says which it is.
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

// of returns the cap of the disk with that device number, which has a ring.
func (c *caps) of(number uint64) fair.Cap {
	device, err := tune.DeviceAt(number)
	limit, how := sched.DefaultCap, fmt.Sprintf("the default: %v", err)
	if err == nil {
		limit, how = c.capOf(device)
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

// capText returns the text for Explain of a cap.
func capText(c fair.Cap, how string) string {
	return fmt.Sprintf("at most %d operations and %d KiB at once, %d KiB of a class beside one of more weight (%s)",
		c.Depth, c.Bytes>>10, c.Beside>>10, how)
}

// ClassesChanged must be called when a class was added or configured: the first class makes the
// Scheduler look for its cap.
func (s *Scheduler) ClassesChanged() { s.caps.look(s.Core) }

// ExplainCaps writes the caps in force to b, a line each.
func (s *Scheduler) ExplainCaps(b *strings.Builder) {
	fmt.Fprintf(b, "classes: %s\n", capText(s.Core.Cap(), s.caps.String()))
	s.caps.explain(b)
}

// explain writes the caps of the disks that have a ring.
func (c *caps) explain(b *strings.Builder) {
	c.ringsMu.Lock()
	defer c.ringsMu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.rings)) {
		fmt.Fprintf(b, "  on %s: %s\n", name, c.rings[name])
	}
}

// String returns, for Explain, the source of the cap without a ring.
func (c *caps) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.how == "" {
		return "the default, before a file is open"
	}
	return c.how
}
