package ioengine

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/probe"
)

// reapHelp is what a submitter needs that reaps while the leader does something else. The submitter
// hands over what a fast device has completed by then. It is on the processor that has submitted
// that, its own operation needs no switch of goroutines, and the leader has less to do.
type reapHelp struct {
	// reaping is held during Reap: the driver allows one at a time. The leader holds it while it
	// waits for completions. Other goroutines only try to lock it.
	reaping probe.Mutex
	done    []*driver.Op // where helpReap reaps into; under reaping
	// reaped is the number of operations that helpReap has reaped since the leader last looked. It
	// is under reaping, so no operation is taken from a leader that waits for it.
	reaped int
}

// mostHelped is the most operations that a submitter reaps at once: it waits for one itself.
// Measured: docs/results/mechanisms.md.
const mostHelped = 32

// helpReap hands over what has completed, if the leader is running, and processors are free:
// otherwise the leader makes relays. A goroutine that has just submitted calls it without mu.
func (e *Engine) helpReap() {
	h := &e.help
	if e.state.Load() != running || e.rings.Processors.Noted() || !h.reaping.TryLock() {
		return
	}
	n, err := e.drv.Reap(h.done, 0)
	if n > 0 {
		h.reaped += n
		e.complete(h.done[:n], false)
	}
	h.reaping.Unlock()
	if err != nil {
		e.lose(err)
	}
}

// reap waits for completions, and returns their number. If helpReap has reaped since the last call,
// it returns 0 at once: perhaps no leader is needed any more, or there is room for the backlog
// (stageOrRetire). The leader calls it.
func (e *Engine) reap() (n int, err error) {
	h := &e.help
	h.reaping.Lock()
	defer h.reaping.Unlock()
	if h.reaped > 0 {
		e.load.now.Operations += h.reaped
		h.reaped = 0
	} else {
		n, err = e.drv.Reap(e.done, 1)
		e.reapedOf.Store(e.inflight.Load())
		e.load.reaped(int(e.reapedOf.Load()), n)
	}
	e.state.Store(running)
	return n, err
}
