package ioengine

import "github.com/sluiceio/sluice/internal/driver"

// load is how busy an Engine's leader is: whether its Reaps have to wait. While it makes goroutines ready and submits what
// they ask for, the device goes on. If it always finds completions when it comes back, the leader is the limit, and the
// device's Group grows. The time in Reap would not tell: a Reap also submits, and a device in memory performs the
// operations in that call.
type load struct {
	drv           driver.WaitCounter // nil if the driver cannot tell: then the Group stays as it is
	reaps, ops    int                // since the last window ended
	known, waited uint32             // the driver's Waits when the last window ended
}

const (
	// window is how many Reaps there are between two judgements. At half a million operations a second that is a few
	// milliseconds.
	window = 64
	// A leader is saturated if fewer than one Reap in saturated has waited, and one Reap had at least fullReap
	// operations: with another ring each leader still submits and reaps several at a time. It mostly waits if one in
	// resting has waited. In between the Group stays as it is.
	saturated = 5
	resting   = 2
	fullReap  = 2 * minSubmitThreshold
)

// reaped notes that a Reap of e, whose load l is, has returned n operations. The leader calls it.
func (l *load) reaped(e *Engine, n int) {
	l.reaps++
	l.ops += n
	if l.reaps < window {
		return
	}
	full := l.ops >= fullReap*l.reaps
	l.reaps, l.ops = 0, 0
	g := e.group.Load()
	if l.drv == nil || g == nil || !g.mayChange() {
		return // the driver need not count
	}
	all, wait := l.drv.Waits()
	known, waited := all-l.known, wait-l.waited
	l.known, l.waited = all, wait
	if known > 0 {
		g.judge(saturated*waited < known && full, resting*waited >= known)
	}
}

// judge notes that a leader has too much to do, or that it mostly waits, or neither.
func (g *Group) judge(tooMuch, waits bool) {
	r := g.rings
	now := r.Now()
	switch {
	case tooMuch && !r.Processors.Taken(now):
		g.busy.Store(int64(now))
		g.grow()
	case !waits:
		g.busy.Store(int64(now))
	case g.Len() > 1 && now.Nanoseconds()-g.busy.Load() >= restTime.Nanoseconds():
		g.shrink()
	}
}
