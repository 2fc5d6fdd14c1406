// Package hang is for tests of goroutines that wait for each other.
package hang

import (
	"runtime/debug"
	"testing"
	"time"
)

// Watch ends the process with all stacks when t hangs, which is how a lost wake-up shows.
// No test comes near the limit.
func Watch(t testing.TB) {
	t.Helper()
	timer := time.AfterFunc(3*time.Minute, func() {
		debug.SetTraceback("all")
		panic(t.Name() + " hangs")
	})
	t.Cleanup(func() { timer.Stop() })
}

// Eventually returns when ok returns true, which another goroutine is about to bring about.
func Eventually(ok func() bool) {
	for !ok() {
		time.Sleep(50 * time.Microsecond)
	}
}
