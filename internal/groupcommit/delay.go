package groupcommit

import (
	"runtime"
	"time"

	"github.com/sluiceio/sluice/internal/sys"
)

// commitDelay decides whether the leader of a group waits for more members before
// it makes the fsync. The goroutines that the last fsync served are often back a
// few microseconds later, with their next write. If the fsync has started by then,
// they wait for all of it, and then for their own.
//
// The wait yields the processor and never sleeps, and it is short beside an fsync.
// After a wait in vain the next groups do not wait: see backoff. Where goroutines that compute
// have all processors, a yield lasts for their time slices, tens of milliseconds. Then up to
// thousands of groups do not wait.
type commitDelay struct {
	expected int           // callers during the last fsync: served by it, or waiting for the next
	took     time.Duration // how long the last fsync took
	patient  bool          // without maxYields: a test has stopped the clock
	backoff
}

const (
	maxExpected   = 16 // with more members, it is better that some write while the fsync runs
	delayFraction = 6  // the wait is at most 1/delayFraction of the last fsync's time
	maxDelay      = 50 * time.Microsecond
	// maxYields bounds the wait where the clock stands still while a goroutine runs, as in a bubble of
	// testing/synctest. A yield takes a tenth of a microsecond at the least.
	maxYields = 1000
)

// enough reports whether a group of so many members need not wait for more.
func (d *commitDelay) enough(members int) bool {
	return members >= min(d.expected, maxExpected)
}

// limit returns how long to wait at most.
func (d *commitDelay) limit() time.Duration { return min(d.took/delayFraction, maxDelay) }

// backoff spaces out attempts that fail: after the first failure it skips the next
// attempt, after the second failure in a row three, then seven and so on up to mostPause.
type backoff struct {
	skip, pause uint16
	slow        uint16 // pause after slow yields: 15, 255 and then mostSlowPause attempts
}

const (
	mostPause     = 1<<8 - 1
	mostSlowPause = 1<<12 - 1
)

// skipped reports whether to skip this attempt, and counts it as skipped.
func (b *backoff) skipped() bool {
	if b.skip == 0 {
		return false
	}
	b.skip--
	return true
}

// note records whether an attempt succeeded.
func (b *backoff) note(success bool) {
	b.slow = 0
	if success {
		b.pause = 0
		return
	}
	b.pause = min(b.pause<<1|1, mostPause)
	b.skip = b.pause
}

// noteSlow records an attempt whose yields were slow. A single one may be an accident, as where the
// system runs something else; one after the other is skipped for longer each time.
func (b *backoff) noteSlow() {
	b.slow = min(b.slow<<4|15, mostSlowPause)
	b.skip = b.slow
}

// WaitForGroup waits for g to grow, if that is worth it. Its Leader calls it before the fsync. Now is
// the clock.
func (s *Syncer) WaitForGroup(g *Group, now func() time.Duration) {
	s.mu.Lock()
	first := g.members
	limit, patient := s.delay.limit(), s.delay.patient
	idle := s.delay.enough(first) || s.delay.skipped()
	s.mu.Unlock()
	if idle {
		return
	}
	start := now()
	for yields := 0; (yields < maxYields || patient) && now()-start < limit; yields++ {
		runtime.Gosched()
		s.mu.Lock()
		enough := s.delay.enough(g.members)
		s.mu.Unlock()
		if enough {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now()-start >= sys.SlowYield {
		s.delay.noteSlow()
		return
	}
	s.delay.note(g.members > first)
}

// Expect has the next group wait as if the last fsync had served so many callers and had taken
// so long, and until the clock says so. It is for tests.
func (s *Syncer) Expect(callers int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = commitDelay{expected: callers, took: took, patient: true}
}
