package governor

import "time"

// epoch is the epoch in progress.
type epoch struct {
	began, last time.Duration // when it began, and when the clock was last read
	base        uint32        // how many operations were counted when it began
	interval    time.Duration // between two samples, as far as is known
}

const (
	// An epoch lasts so long that the Go runtime comes to take processors from threads that wait, and has so many
	// operations that chance cancels out. It has several times the operations that are in flight, so that
	// most of its operations have begun and ended in it, however slow the device is.
	leastTime = 1500 * time.Microsecond
	leastOps  = 48
	turnovers = 4
)

// sample notes that n operations were counted by now. Alone reports whether one of them has found nothing in flight. If
// the epoch ends, sample returns its rate in operations per nanosecond, and the next one begins.
//
// A program may do something else for a while. That says nothing about the device, so an epoch with such a gap
// begins again.
func (e *epoch) sample(n uint32, inFlight int32, now time.Duration, alone bool) (rate float64, ended bool) {
	gap := now - e.last
	if e.last == 0 || alone && gap > max(leastTime, 4*e.interval) {
		e.interval = gap // if the next one is as long, it is no gap: the operations have become slow
		e.begin(n, now)
		return 0, false
	}
	e.last = now
	ops, took := n-e.base, now-e.began
	if took < leastTime || ops < max(leastOps, turnovers*uint32(max(0, inFlight))) {
		return 0, false
	}
	e.interval = took * sampleEvery / time.Duration(ops)
	e.begin(n, now)
	return float64(ops) / float64(took), true
}

// begin begins an epoch.
func (e *epoch) begin(n uint32, now time.Duration) {
	e.base, e.began, e.last = n, now, now
}
