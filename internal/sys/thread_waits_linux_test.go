package sys

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/hang"
)

// TestThreadWaits checks that a sleep of the calling thread counts. A sleep may end before the
// thread has given up its processor, but not each time.
func TestThreadWaits(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	hang.Watch(t)
	before, ok := ThreadWaits()
	if !ok {
		t.Fatal("ThreadWaits knows nothing")
	}
	hang.Eventually(func() bool {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e5}, nil) // a signal may end it
		now, _ := ThreadWaits()
		return now > before
	})
}
