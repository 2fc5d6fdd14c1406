package load

import (
	"runtime"
	"testing"
)

// TestBusy checks that goroutines compute beside a busy kind, are counted, and end.
func TestBusy(t *testing.T) {
	before := runtime.NumGoroutine()
	b := newBusy(WriteSyncBusy.Busy())
	if n, want := runtime.NumGoroutine()-before, 2*runtime.GOMAXPROCS(0); n != want {
		t.Errorf("%d goroutines compute; want %d", n, want)
	}
	for runtime.Gosched(); b.stop() == 0; { // they may not have begun
		b = newBusy(true)
	}
	for runtime.NumGoroutine() > before { // it may return a moment before they are gone
		runtime.Gosched()
	}
	if n := newBusy(WriteSync.Busy()).stop(); n != 0 {
		t.Errorf("%g units a second beside a kind that is not busy; want 0", n)
	}
}
