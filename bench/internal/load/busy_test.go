package load

import (
	"runtime"
	"testing"
)

// TestBusy checks that goroutines compute beside a busy kind, and end.
func TestBusy(t *testing.T) {
	before := runtime.NumGoroutine()
	stop := newBusy(WriteSyncBusy.Busy())
	if n, want := runtime.NumGoroutine()-before, 2*runtime.GOMAXPROCS(0); n != want {
		t.Errorf("%d goroutines compute; want %d", n, want)
	}
	stop()
	for runtime.NumGoroutine() > before { // stop may return a moment before they are gone
		runtime.Gosched()
	}
	newBusy(WriteSync.Busy())()
}
