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
	timer := watch(t)
	t.Cleanup(func() { timer.Stop() })
}

// During is Watch for a step of a test that has many of them, and may take longer than the limit.
func During(t testing.TB, step func()) {
	t.Helper()
	defer watch(t).Stop()
	step()
}

func watch(t testing.TB) *time.Timer {
	return time.AfterFunc(3*time.Minute, func() {
		debug.SetTraceback("all")
		panic(t.Name() + " hangs")
	})
}

// Eventually returns when ok returns true, which another goroutine is about to bring about.
func Eventually(ok func() bool) {
	for !ok() {
		time.Sleep(50 * time.Microsecond)
	}
}
