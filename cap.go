package sluice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/tune"
)

// measuredCap is where the cap of what is in flight comes from: what was measured
// of the disk that the Scheduler's first file is on. It is looked for when there
// are classes.
type measuredCap struct {
	first sync.Once // the first file

	mu     sync.Mutex
	known  bool // device and err are those of the first file. All under mu
	device tune.Device
	err    error
	how    string // for Explain; "" before it was looked for
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
	if !c.known || c.how != "" || !core.Classed() {
		return
	}
	if c.err != nil {
		c.how = fmt.Sprintf("the default: %v", c.err)
		return
	}
	m, path, err := tune.Load(c.device)
	switch {
	case err == nil:
		core.SetCap(fair.Cap{Depth: m.Depth, Bytes: m.Bytes, Beside: m.Beside})
		c.how = fmt.Sprintf("%s, measured %s: %s", c.device.Name, m.Time.Format("2006-01-02"), path)
	case errors.Is(err, fs.ErrNotExist):
		c.how = fmt.Sprintf("the default; `sluice tune` would measure %s", c.device.Name)
	default:
		c.how = fmt.Sprintf("the default, as what was measured cannot be used: %v", err)
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
