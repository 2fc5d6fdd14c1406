package groupcommit

import (
	"time"

	"github.com/sluiceio/sluice/internal/pressure"
)

// commitDelay decides whether the leader of a group waits for more members before it makes the
// fsync. The goroutines that the last fsync served are often back a few microseconds later. If the
// fsync has started by then, they wait for all of it, and then for a second one.
//
// The leader sleeps. The last of the expected members wakes it, or a timer does when none has
// joined for a while (window). After a wait in which no member joined, the next groups do not wait:
// see backoff.
//
// Where goroutines that compute have all processors, the leader waits for time slices of 10 ms
// before it starts the fsync, and after it. A leader that the last member wakes runs at once, on
// that member's processor. So there the window is longer.
type commitDelay struct {
	expected int           // callers during the last fsync: served by it, or waiting for the next
	took     time.Duration // how long the last fsync took
	least    time.Duration // of window. See Options.Window
	backoff
}

const (
	// A window is at most 1/delayFraction of the last fsync's time, and at most pressure.Slow. The
	// fraction is measured: docs/results/mechanisms.md.
	delayFraction = 3
	mostWait      = 2 * pressure.Slow // for all members together
)

// window returns the leader's longest wait for the next member. taken: see pressure.Signal.Taken.
func (d *commitDelay) window(taken bool) time.Duration {
	if taken {
		return pressure.Slow
	}
	return max(d.least, min(d.took/delayFraction, pressure.Slow))
}

// backoff spaces out attempts that fail: after the first failure it skips the next
// attempt, after the second failure in a row three, then seven and so on up to mostPause.
type backoff struct{ skip, pause uint16 }

const mostPause = 1<<8 - 1 // chosen: one attempt in 256 costs nothing

// skipped reports whether to skip this attempt, and counts it as skipped.
func (b *backoff) skipped() bool {
	if b.skip == 0 {
		return false
	}
	b.skip--
	return true
}

func (b *backoff) note(success bool) {
	b.pause = min(b.pause<<1|1, mostPause)
	if success {
		b.pause = 0
	}
	b.skip = b.pause
}

// waitForGroup waits for g to grow, if that is worth it. Its leader, c, calls it before the fsync.
func (s *Syncer) waitForGroup(g *group, c Caller) {
	processors := c.Processors()
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &s.delay
	first, window := g.members, d.window(processors.Taken(c.Now()))
	if first >= d.expected || window == 0 || d.skipped() {
		return
	}
	g.wanted = d.expected // the member that makes it so many wakes the leader
	g.enough = make(chan struct{}, 1)
	start := c.Now()
	for before := 0; g.members > before && g.members < g.wanted && c.Now()-start < mostWait; {
		before = g.members
		began := c.Now()
		processors.Waits(began)
		s.mu.Unlock()
		// Not one timer for all waits: in a program whose go.mod is of Go 1.22 or before, a value
		// may stay in its channel.
		t := time.NewTimer(window)
		select {
		case <-g.enough:
		case <-t.C:
		}
		t.Stop()
		s.mu.Lock()
		if ended := c.Now(); ended-began >= window { // the timer has ended it
			processors.Waited(ended-began-window, ended)
		}
	}
	d.note(g.members > first)
	g.wanted = 0
}
