// Package pressure finds out whether goroutines that compute have all processors. If they have, a
// goroutine that becomes ready waits for time slices of 10 ms (sysmon in the Go runtime). In other
// packages this is called: the processors are taken.
package pressure

import (
	"runtime"
	"sync/atomic"
	"time"
)

// timeSlice is how long a goroutine runs while others wait (forcePreemptNS in the Go runtime).
const timeSlice = 10 * time.Millisecond

// Slow is how long a goroutine that is ready waits for a processor, at least, if goroutines that
// compute have all of them: less than half of a time slice.
const Slow = timeSlice * 2 / 5

// A finding counts for share times as long as the wait that told of it, so that at most 3 % of the
// time goes to finding out again, but at most for longest.
const (
	share   = 32
	longest = time.Second
)

// askEvery is how often goroutines that make plain calls ask how much processor time was used. They
// yield only if most of it was. Once a processor has run one goroutine for 10 ms, sysmon takes it
// even from a thread in a system call, and then looks every 20 µs. A yield restarts these 10 ms. If
// all yielded, sysmon would sleep, and threads that wait would keep all processors.
const askEvery = 2 * timeSlice

// Signal is what is known of the processors. The zero value says that some are free. All methods
// may be called at the same time; what they note then may be lost. Now is a clock that never goes
// back.
type Signal struct {
	// Used returns how much processor time the program has used, or 0 if that is not known, as if
	// Used is nil. The owner sets it before the first use.
	Used func() time.Duration

	until  atomic.Int64 // when the finding ends; 0 is none
	forgot atomic.Int64 // when Forget was last called
	asked  atomic.Int64 // when Due last called Used
	// percent of the processors' time that was used when that was last asked
	percent atomic.Int32
	// when Used was last called, and its result
	sampled, used atomic.Int64
}

// most is the percentage that most of the processors' time means.
const most = 75

// Begin is called before the first operation, with Used set. Processor time that was used before,
// such as for the start of the program, does not count, and Due first asks Slow later.
func (s *Signal) Begin(now time.Duration) {
	s.sampled.Store(int64(now))
	s.used.Store(int64(s.Used()))
	s.asked.Store(int64(now + Slow - askEvery))
}

// Due reports whether a goroutine that makes plain calls should yield now, to find out how long it
// waits for a processor: if the program used most of the processors' time when that was last asked,
// which is every askEvery.
func (s *Signal) Due(now time.Duration) bool {
	asked := s.asked.Load()
	if d := now - time.Duration(asked); asked == 0 || d < 0 || d >= askEvery {
		if s.asked.CompareAndSwap(asked, int64(now)) {
			s.busy(now)
		}
	}
	return s.full()
}

// full reports whether most of the processors' time was used when that was last asked.
func (s *Signal) full() bool { return s.percent.Load() >= most }

// Computes reports whether the program used half of the processors' time, at least, when that was
// last asked.
func (s *Signal) Computes() bool { return s.percent.Load() >= 50 }

// Waits notes that a goroutine that is ready begins to wait for a processor.
func (s *Signal) Waits(now time.Duration) { s.busy(now) }

// Waited notes that a goroutine that was ready has waited for a processor, until now, for so long.
// Waits was called before. A long wait tells nothing if processors were idle for a part of it:
// threads in plain calls keep processors, too.
func (s *Signal) Waited(d, now time.Duration) {
	forgot := time.Duration(s.forgot.Load())
	switch {
	case forgot > max(0, now-d) && forgot <= now:
	case d < Slow:
		if s.Noted() {
			s.until.Store(0)
		}
	case s.full() || s.busy(now):
		s.until.Store(int64(now + min(share*d, longest)))
	}
}

// Yield lets other goroutines run that are ready, so many times, and notes how long that took by a
// clock. It returns when it began and ended.
func (s *Signal) Yield(times int, clock func() time.Duration) (began, ended time.Duration) {
	began = clock()
	s.Waits(began)
	for range times {
		runtime.Gosched()
	}
	ended = clock()
	s.Waited(ended-began, ended)
	return began, ended
}

// busy reports whether the program has used most of the processors' time since the last call, as
// far as is known. In less than Slow that tells nothing: then it is what the last call has found.
func (s *Signal) busy(now time.Duration) bool {
	sampled := s.sampled.Load()
	since := now - time.Duration(sampled)
	if sampled != 0 && since >= 0 && since < Slow || !s.sampled.CompareAndSwap(sampled, int64(now)) {
		return s.full()
	}
	used := time.Duration(0)
	if s.Used != nil {
		used = s.Used()
	}
	lately := used - time.Duration(s.used.Swap(int64(used)))
	procs := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	percent := int32(100)
	if used != 0 && since > 0 {
		percent = int32(min(100*lately/(since*time.Duration(procs)), 100))
	}
	s.percent.Store(percent)
	return percent >= most
}

// Forget forgets what was noted, also of waits that have begun.
func (s *Signal) Forget(now time.Duration) {
	s.forgot.Store(int64(now))
	s.until.Store(0)
}

// Ended reports whether the caller should yield, to find out again: the last finding has ended, and
// nobody has begun to. The finding counts for two time slices more.
func (s *Signal) Ended(now time.Duration) bool {
	until := s.until.Load()
	ago := now - time.Duration(until)
	return until != 0 && ago >= 0 && ago < longest && s.until.CompareAndSwap(until, int64(now+2*timeSlice))
}

// Noted reports whether Taken may be true. It needs no clock.
func (s *Signal) Noted() bool { return s.until.Load() != 0 }

// Taken reports whether goroutines that compute have all processors, as far as is known. What was
// noted by another clock, as before a testing/synctest bubble, does not count.
func (s *Signal) Taken(now time.Duration) bool {
	left := time.Duration(s.until.Load()) - now
	return left > 0 && left <= longest
}
