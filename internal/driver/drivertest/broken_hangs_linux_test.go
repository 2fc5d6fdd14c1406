package drivertest

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"
)

// brokenHangs is in the output of a process whose test on a broken driver hangs. The two functions
// that find a hang look at what the process does, not at the clock: a test that is only slow must
// not count as one that has noticed the defect.
const brokenHangs = "the test on the broken driver hangs"

// endDeadlock ends the process when every other goroutine waits for another one. The pool and the
// tests that TestCatches has use no timer that could make a goroutine ready.
func endDeadlock() {
	for ; ; time.Sleep(time.Millisecond) {
		running := 0
		for _, g := range goroutines() {
			if !waitsForGoroutine(g) {
				running++
			}
		}
		if running == 1 { // this one
			panic(brokenHangs)
		}
	}
}

// waitsForGoroutine reports whether the goroutine with that stack waits for another one that a
// stack shows. A select may wait for a timer, a semacquire for endDeadlock itself, and os/signal
// for a goroutine of the runtime.
func waitsForGoroutine(stack []byte) bool {
	_, state, _ := bytes.Cut(stack, []byte("["))
	state, _, _ = bytes.Cut(state, []byte("]"))
	state, _, _ = bytes.Cut(state, []byte(","))
	return !bytes.Contains(stack, []byte("\nos/signal.")) && slices.Contains([]string{
		"chan receive", "chan send", "select (no cases)",
		"sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait",
	}, string(state))
}

// polls finds a test that polls for an operation that will never come.
type polls struct {
	inside atomic.Int32 // operations that the driver inside of the broken one has
	owed   atomic.Int32 // operations that the broken driver has taken and not returned
	empty  atomic.Int32 // the number of Reaps, with nothing inside, since the last Submit
}

// enoughPolls is more often than a test polls that has operations left to submit.
const enoughPolls = 1000

// reaped notes that a Reap has returned n operations.
func (p *polls) reaped(n int) {
	if p.owed.Add(-int32(n)) <= 0 || p.inside.Load() > 0 {
		p.empty.Store(0)
	} else if p.empty.Add(1) > enoughPolls {
		panic(brokenHangs)
	}
}
