// Package pressure finds out whether goroutines that compute have all processors. If they have, a
// goroutine that becomes ready waits for time slices of 10 ms (sysmon in the Go runtime).
package pressure

import (
	"sync/atomic"
	"time"
)

// Slow is how long a goroutine that is ready waits for a processor, at least, if goroutines that
// compute have all of them. It is less than half of a time slice.
const Slow = 4 * time.Millisecond

// A finding counts for a while: first for firstTime, then, each time that it is confirmed, four
// times as long, up to lastTime.
const (
	firstTime = 16 * time.Millisecond
	lastTime  = time.Second
)

// Signal is what is known of the processors. The zero value says that some are free. All methods
// may be called at the same time; what they note then may be lost. Now is a clock that never goes
// back.
type Signal struct {
	until atomic.Int64 // when the finding ends
	lasts atomic.Int64 // how long the last one counted
}

// Waited notes that a goroutine that was ready has waited for a processor, until now, for so long.
func (s *Signal) Waited(d, now time.Duration) {
	if d < Slow {
		if s.lasts.Load() != 0 {
			s.Forget()
		}
		return
	}
	lasts := min(max(4*time.Duration(s.lasts.Load()), firstTime), lastTime)
	s.lasts.Store(int64(lasts))
	s.until.Store(int64(now + lasts))
}

// Forget forgets what was noted.
func (s *Signal) Forget() {
	s.lasts.Store(0)
	s.until.Store(0)
}

// Noted reports whether Taken may be true. It needs no clock.
func (s *Signal) Noted() bool { return s.until.Load() != 0 }

// Taken reports whether goroutines that compute have all processors, as far as is known. What was
// noted by another clock, as before a testing/synctest bubble, does not count.
func (s *Signal) Taken(now time.Duration) bool {
	left := time.Duration(s.until.Load()) - now
	return left > 0 && left <= lastTime
}
