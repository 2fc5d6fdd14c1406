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

// caps finds the most that may be in flight while there are classes: the measured cap of each disk.
type caps struct {
	// first is the device of the first file, as in stat(2). Explain names its cap before an
	// operation of a class was on it.
	first  atomic.Pointer[uint64]
	looked atomic.Bool // findFirst was called with a first file
	// capOf is the function capOf. It is a field so that a test can replace it.
	capOf func(tune.Device) (fair.Cap, string)

	mu    sync.Mutex          // not held while a file is read
	found map[uint64]foundCap // of devices that were there when a cap was last found, or explained
}

// foundCap is, for Explain, the cap of a device, and the disk's name.
type foundCap struct{ name, text string }

// opened is called with each opened file. It only notes the first file's device: caps searches
// for the disk in /sys once there are classes, which most programs never have.
func (c *caps) opened(core *sched.Scheduler, f *sched.File) {
	if c.first.Load() != nil {
		return
	}
	number := core.DeviceOf(f).Number
	if c.first.CompareAndSwap(nil, &number) && core.Classes().Active() {
		c.findFirst()
	}
}

// findFirst finds the cap of the first file's disk, for Explain. It may wait for the file with the
// measured cap.
func (c *caps) findFirst() {
	if first := c.first.Load(); first != nil && !c.looked.Swap(true) {
		c.of(*first)
	}
}

// foundFor returns what was found for a device.
func (c *caps) foundFor(device uint64) foundCap {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found[device]
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

// of returns the cap of the disk with that device number.
func (c *caps) of(number uint64) fair.Cap {
	device, err := tune.DeviceAt(number)
	limit, how := sched.DefaultCap, fmt.Sprintf("the default: %v", err)
	if err == nil {
		limit, how = c.capOf(device)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = make(map[uint64]foundCap)
	}
	c.found[number] = foundCap{cmp.Or(device.Name, fmt.Sprintf("device %#x", number)), capText(limit, how)}
	return limit
}

// forget forgets the caps of devices that nobody has any more, except the first file's device.
func (c *caps) forget(core *sched.Scheduler) {
	kept := make(map[uint64]bool)
	for _, d := range core.Devices().All() {
		kept[d.Number] = true
	}
	if first := c.first.Load(); first != nil {
		kept[*first] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.found, func(number uint64, _ foundCap) bool { return !kept[number] })
}

// capText returns the text for Explain of a cap.
func capText(c fair.Cap, how string) string {
	return fmt.Sprintf("at most %d operations and %d KiB at once, %d KiB of a class beside one of more weight (%s)",
		c.Depth, c.Bytes>>10, c.Beside>>10, how)
}

// ClassesChanged must be called when a class was added or configured.
func (s *Scheduler) ClassesChanged() { s.caps.findFirst() }

// ExplainCaps writes the caps in force to b: the cap of the first file's disk, and a line for each
// disk that has had operations of classes.
func (s *Scheduler) ExplainCaps(b *strings.Builder) {
	c := &s.caps
	c.forget(s.Core)
	text := capText(sched.DefaultCap, "the default, before a file is open")
	first := c.first.Load()
	if first != nil {
		text = cmp.Or(c.foundFor(*first).text, capText(sched.DefaultCap, "the default, until what was measured has been read"))
	}
	fmt.Fprintf(b, "classes: %s\n", text)
	c.mu.Lock()
	defer c.mu.Unlock()
	others := make(map[foundCap]bool) // once for several partitions of a disk
	for number, found := range c.found {
		if first == nil || number != *first {
			others[found] = true
		}
	}
	byName := func(a, b foundCap) int { return cmp.Compare(a.name, b.name) }
	for _, f := range slices.SortedFunc(maps.Keys(others), byName) {
		fmt.Fprintf(b, "  on %s: %s\n", f.name, f.text)
	}
}
