package governor

import "time"

// epoch is the epoch in progress.
type epoch struct {
	began, last time.Duration // when it began, and when the clock was last read
	from        time.Duration // it begins no earlier
	base        uint32        // how many operations were counted when it began
	interval    time.Duration // between two samples, as far as is known
	longest     time.Duration // it ends by then, with however few operations; 0 is no limit
}

// span is an epoch that has ended.
type span struct {
	began, ended time.Duration
	ops          uint32 // operations that began in it
}

// rate returns how many operations began in a nanosecond.
func (s span) rate() float64 { return float64(s.ops) / float64(s.ended-s.began) }

const (
	// An epoch lasts so long that the Go runtime comes to take processors from threads that wait.
	// Measured: docs/results/mechanisms.md.
	leastTime = 1500 * time.Microsecond
	// It has so many operations that chance cancels out, and several times the operations that are
	// in flight, so that most of its operations have begun and ended in it. Both are chosen.
	leastOps  = 8 * sampleEvery
	turnovers = 4
	// sysmonSleep is the longest sleep of the thread of the Go runtime that takes processors from
	// threads that wait (sysmon in runtime/proc.go). While nothing waits in plain calls, sysmon
	// comes to sleep so long. Then plain calls keep all processors until it wakes. An epoch before
	// that shows at least how fast plain calls are (Machine.Epoch).
	sysmonSleep = 10 * time.Millisecond
)

// sample notes that n operations were counted by now. Alone reports whether one of them has found
// nothing in flight. If the epoch ends, sample returns it, and the next one begins.
//
// A program may do something else for a while. A gap in its operations says nothing about the
// device, so an epoch with a gap begins again.
func (e *epoch) sample(n uint32, inFlight int32, now time.Duration, alone bool) (s span, ended bool) {
	gap := now - e.last
	if e.last == 0 || alone && gap > max(leastTime, 4*e.interval) {
		// If the next interval is as long, it is no gap: the operations have become slow.
		e.interval = gap
		e.begin(n, now)
		return span{}, false
	}
	if e.began < e.from {
		e.begin(n, now)
		return span{}, false
	}
	e.last = now
	s = span{began: e.began, ended: now, ops: n - e.base}
	took := now - e.began
	late := e.longest > 0 && took >= e.longest
	least := max(leastOps, turnovers*uint32(max(0, inFlight)))
	if late {
		least = 1 // without one there is no rate
	}
	if took < leastTime || s.ops < least {
		return span{}, false
	}
	e.interval = took * sampleEvery / time.Duration(s.ops)
	e.begin(n, now)
	return s, true
}

func (e *epoch) begin(n uint32, now time.Duration) {
	e.base, e.began, e.last = n, now, now
}
