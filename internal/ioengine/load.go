package ioengine

import (
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// load is how busy an Engine's leader is: whether its Reaps have to wait. The time in Reap does not
// show this: a Reap also submits, and a device in memory performs the operations in that call.
type load struct {
	now           Window // the window in progress, without Known, Waited and Depth
	known, waited uint32 // the driver's Waits when the last window ended
}

// Window is what a leader has found in WindowReaps Reaps.
type Window struct {
	Operations int // operations reaped
	Reaps      int
	Known      int // Reaps for which the driver knows whether they had to wait
	Waited     int // Known Reaps that had to wait
	InFlight   int // the most operations that the driver had after one of these Reaps, with its own
	Depth      int // the most operations that the driver can have
}

const (
	// WindowReaps is how many Reaps there are between two judgements. Chosen: at half a million
	// operations a second that is a few milliseconds.
	WindowReaps = 64
	// A leader is saturated if fewer than one Reap in saturated has waited, and one Reap had at
	// least twoBatches: with another ring each leader still submits and reaps several at a time. A
	// leader can take over part of another one's work if one Reap in resting would still wait.
	// Saturated is measured (docs/results/mechanisms.md), and resting is chosen.
	saturated = 5
	resting   = 2
	// restTime is how long all leaders of a Group could do with one ring less before the ring
	// leaves; see Growth. Chosen: a ring costs nothing until then.
	restTime = time.Second
	mostRest = 64 * restTime
)

func (w Window) isSaturated() bool {
	return w.Known > 0 && saturated*w.Waited < w.Known && w.Operations >= twoBatches*w.Reaps
}

// allowsFewer reports whether rings-1 rings would do. Each ring would then have rings/(rings-1)
// times as many operations, for which there must be room, and as many Reaps that do not wait.
func (w Window) allowsFewer(rings int) bool {
	waits := w.Known > 0 && resting*rings*(w.Known-w.Waited) <= (rings-1)*w.Known
	return waits && rings*w.InFlight <= (rings-1)*w.Depth
}

// MostRings returns the most rings that one device may have with that many processors. A leader
// keeps a processor busy, and the goroutines that it serves two or three more.
func MostRings(processors int) int { return max(1, processors/4) }

// Growth decides how many rings a device has. It is pure, so that the model of large machines
// (internal/test/model) has the same rules. The zero value is ready to use.
//
// Under a steady load one window in thousands may be saturated. A ring would then leave and come
// back each second. So if a ring is back within the rest before which it left, the next rest is
// twice as long, up to mostRest. If it comes later, the load has changed: the rest is restTime.
type Growth struct {
	busy time.Duration // when a window last allowed no fewer rings, or their number changed
	rest time.Duration // how long all windows must allow fewer rings; 0 is restTime
	left time.Duration // when a ring last left; 0 once a ring has come since
}

// Judge returns by how many rings a device is to grow: 1, 0, or -1. The device has rings rings, and
// may have most. w is the window that a leader has just ended. Taken says that goroutines that
// compute have all processors, so that another leader would be late as well.
func (g *Growth) Judge(w Window, now time.Duration, rings, most int, taken bool) int {
	rest := max(g.rest, restTime)
	switch {
	case rings > most:
		g.busy = now
		return -1
	case w.isSaturated() && !taken:
		g.busy = now
		if rings == most {
			return 0
		}
		if g.left != 0 { // a ring comes back
			g.rest = restTime
			if now-g.left < rest {
				g.rest = min(2*rest, mostRest)
			}
		}
		g.left = 0
		return 1
	case !w.allowsFewer(rings):
		g.busy = now
	case rings > 1 && now-g.busy >= rest:
		g.busy, g.left = now, now
		return -1
	}
	return 0
}

// reaped notes that a Reap has returned n of the inFlight operations that the driver had.
func (l *load) reaped(inFlight, n int) {
	l.now.Reaps++
	l.now.Operations += n
	l.now.InFlight = max(l.now.InFlight, inFlight)
}

// judge has e's Group judge the window that has ended, if one has. The leader calls it while it has
// nothing to hand over: another ring may be opened meanwhile.
func (e *Engine) judge() {
	l := &e.load
	if l.now.Reaps < WindowReaps {
		return
	}
	w := l.now
	l.now = Window{}
	drv, ok := e.drv.(driver.WaitCounter)
	g := e.group.Load()
	if !ok || g == nil { // if the driver cannot tell, the Group stays as it is
		return
	}
	most := e.rings.PerDevice()
	if most == 1 && g.Len() == 1 {
		return // the driver need not count
	}
	e.help.reaping.Lock() // no Reap may run
	known, waited := drv.Waits()
	e.help.reaping.Unlock()
	w.Known, w.Waited, w.Depth = int(known-l.known), int(waited-l.waited), e.depth
	l.known, l.waited = known, waited
	g.judge(w, most)
}
