package load

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// computing returns the number of goroutines that compute beside a load.
func computing() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "load.(*busy).run(")
}

// waitForComputing returns when n goroutines compute.
func waitForComputing(n int) {
	for computing() != n {
		time.Sleep(time.Millisecond)
	}
}

// TestBusy checks that goroutines compute beside a busy kind, are counted, and end.
func TestBusy(t *testing.T) {
	b := newBusy(WriteSyncBusy.Busy())
	waitForComputing(2 * runtime.GOMAXPROCS(0))
	for b.stop() == 0 { // they may end before they have computed anything
		b = newBusy(true)
	}
	waitForComputing(0)
	if n := newBusy(WriteSync.Busy()).stop(); n != 0 {
		t.Errorf("%g units a second beside a kind that is not busy; want 0", n)
	}
}
