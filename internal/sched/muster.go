package sched

import (
	"runtime"
	"time"
)

// muster decides whether who is about to make an fsync waits for others to
// share it. Those whom the last fsync has served are often back a few
// microseconds later, with the next write; if the fsync has started by then
// they wait for the whole of it, and then for their own.
//
// The wait yields the processor and sleeps never; and it is short beside an
// fsync. If nobody comes, the next ones do without.
type muster struct {
	expected int           // who was there during the last fsync: served by it, or waiting
	took     time.Duration // the last fsync
	fruitless
}

const (
	musterMost     = 16 // beyond that, writes had better overlap with the fsync
	musterFraction = 6  // of what the last fsync took
	musterLimit    = 50 * time.Microsecond
)

// enough tells whether so many members need wait for nobody.
func (m *muster) enough(members int) bool {
	return members >= min(m.expected, musterMost)
}

// limit is how long to wait.
func (m *muster) limit() time.Duration { return min(m.took/musterFraction, musterLimit) }

// fruitless spaces out attempts that come to nothing: after the first the
// next one is left out, then three, seven … 255.
type fruitless struct {
	skip, pause uint8
}

// skipped tells whether this attempt is left out.
func (r *fruitless) skipped() bool {
	if r.skip == 0 {
		return false
	}
	r.skip--
	return true
}

// note notes how an attempt went.
func (r *fruitless) note(fruit bool) {
	if fruit {
		r.pause = 0
		return
	}
	r.pause = r.pause<<1 | 1
	r.skip = r.pause
}

// gather waits for g to grow, if that is worth it.
func (s *Scheduler) gather(y *syncer, g *syncGroup) {
	y.mu.Lock()
	first := g.members
	limit := y.muster.limit()
	idle := y.muster.enough(first) || y.muster.skipped()
	y.mu.Unlock()
	if idle {
		return
	}
	start := s.now()
	for s.now()-start < limit {
		runtime.Gosched()
		y.mu.Lock()
		enough := y.muster.enough(g.members)
		y.mu.Unlock()
		if enough {
			break
		}
	}
	y.mu.Lock()
	y.muster.note(g.members > first)
	y.mu.Unlock()
}
