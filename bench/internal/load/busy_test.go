package load

import (
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
)

// TestBusy checks that goroutines compute beside a busy kind, are counted, and end.
func TestBusy(t *testing.T) {
	b := newBusy(WriteSyncBusy.Busy())
	computing := func() int { return hang.Parked("load.(*busy).run") }
	hang.Eventually(func() bool { return computing() == 2*runtime.GOMAXPROCS(0) })
	for b.stop() == 0 { // they may end before they have computed anything
		b = newBusy(true)
	}
	hang.Eventually(func() bool { return computing() == 0 })
	if n := newBusy(WriteSync.Busy()).stop(); n != 0 {
		t.Errorf("%g units a second beside a kind that is not busy; want 0", n)
	}
}
