package groupcommit

import (
	"context"
	"slices"

	"github.com/sluiceio/sluice/internal/probe"
)

// calls are the calls in progress whose ends others wait for. The owner's mutex guards it.
type calls struct {
	last    uint64   // number of the call that began last
	running []uint64 // numbers of the calls that run, ascending
	// ended is closed when a call ends. It is nil while nobody waits for that.
	ended chan struct{}
}

func (c *calls) begin() (call uint64) {
	c.last++
	c.running = append(c.running, c.last)
	return c.last
}

func (c *calls) end(call uint64) {
	i, _ := slices.BinarySearch(c.running, call)
	c.running = slices.Delete(c.running, i, i+1)
	if c.ended != nil {
		close(c.ended)
		c.ended = nil
	}
}

// runs reports whether any call numbered last or lower still runs.
func (c *calls) runs(last uint64) bool { return len(c.running) > 0 && c.running[0] <= last }

// await waits until a call ends. It returns false if ctx ends first. It must be called with mu
// held, and releases mu while it waits.
func (c *calls) await(ctx context.Context, mu *probe.Mutex) bool {
	if c.ended == nil {
		c.ended = make(chan struct{})
	}
	ended := c.ended
	mu.Unlock()
	defer mu.Lock()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}
