package groupcommit

import (
	"time"

	"github.com/sluiceio/sluice/internal/pressure"
)

// commitDelay decides whether the leader of a group waits for more members before it makes the
// fsync (docs/decisions/0005-sync.md, "Commit delay"). A goroutine that is back just after the
// fsync has started waits for all of it, and then for a second one.
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
