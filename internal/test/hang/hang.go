// Package hang is for tests of goroutines that wait for each other.
package hang

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// Watch ends the process with all stacks when t hangs, for example after a lost wake-up. No test
// comes near the limit.
func Watch(t testing.TB) {
	t.Helper()
	timer := watch(t)
	t.Cleanup(func() { timer.Stop() })
}

// During is Watch for one step of a test with many steps, which may take longer than the limit.
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

// Eventually returns when ok returns true. Another goroutine must make it true.
func Eventually(ok func() bool) {
	for !ok() {
		time.Sleep(50 * time.Microsecond)
	}
}

// Parked counts the goroutines in the named function.
func Parked(function string) int {
	b := make([]byte, 1<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), function+"(")
}
