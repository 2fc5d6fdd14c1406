package sched

import (
	"runtime"
	"time"
)

// commitDelay decides whether the leader of a group waits for more members before
// it makes the fsync. The goroutines that the last fsync served are often back a
// few microseconds later, with their next write. If the fsync has started by then,
// they wait for all of it, and then for their own.
//
// The wait yields the processor and never sleeps, and it is short beside an fsync.
// After a wait in vain the next groups do not wait: see backoff.
type commitDelay struct {
	expected int           // callers during the last fsync: served by it, or waiting for the next
	took     time.Duration // how long the last fsync took
	backoff
}

const (
	maxExpected   = 16 // with more members, it is better that some write while the fsync runs
	delayFraction = 6  // the wait is at most 1/delayFraction of the last fsync's time
	maxDelay      = 50 * time.Microsecond
)

// enough reports whether a group of so many members need not wait for more.
func (m *commitDelay) enough(members int) bool {
	return members >= min(m.expected, maxExpected)
}

// limit returns how long to wait at most.
func (m *commitDelay) limit() time.Duration { return min(m.took/delayFraction, maxDelay) }

// backoff spaces out attempts that fail: after the first failure it skips the next
// attempt, after the second failure in a row three, then seven and so on up to 255.
type backoff struct {
	skip, pause uint8
}

// skipped reports whether to skip this attempt, and counts it as skipped.
func (r *backoff) skipped() bool {
	if r.skip == 0 {
		return false
	}
	r.skip--
	return true
}

// note records whether an attempt succeeded.
func (r *backoff) note(fruit bool) {
	if fruit {
		r.pause = 0
		return
	}
	r.pause = r.pause<<1 | 1
	r.skip = r.pause
}

// waitForGroup waits for g to grow, if that is worth it.
func (s *Scheduler) waitForGroup(y *syncer, g *syncGroup) {
	y.mu.Lock()
	first := g.members
	limit := y.commitDelay.limit()
	idle := y.commitDelay.enough(first) || y.commitDelay.skipped()
	y.mu.Unlock()
	if idle {
		return
	}
	start := s.now()
	for s.now()-start < limit {
		runtime.Gosched()
		y.mu.Lock()
		enough := y.commitDelay.enough(g.members)
		y.mu.Unlock()
		if enough {
			break
		}
	}
	y.mu.Lock()
	y.commitDelay.note(g.members > first)
	y.mu.Unlock()
}
