package sched

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Reads beside others are queued, but for those that are checked. If these do not wait, all are
// plain calls from then on, also beside goroutines that compute.
func TestCallsThatDoNotWait(t *testing.T) {
	hang.Watch(t)
	for _, waits := range []bool{false, true} {
		s := newOn(driverThatReads(), Options{Govern: true, CheckWaits: true})
		// No comparison of governors ends by this clock.
		s.paths.Clock = func() time.Duration { return time.Hour }
		var unknown atomic.Bool // how much processor time was used; otherwise it is next to none
		s.paths.Engines.Processors.Used = func() time.Duration {
			if unknown.Load() {
				return 0
			}
			return 1
		}
		plain, waited := 0, int64(0)
		s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 {
			if plain++; waits {
				waited++
			}
			return int32(len(b))
		}
		s.paths.ThreadWaits = func() (int64, bool) { return waited, true }
		f := iopath.NewFile(1<<20, true, false)
		s.DeviceOf(f).Queued.Add(1 << 10) // more than plain calls serve well, on any machine
		read := func(n int) (plainCalls int) {
			plain = 0
			for range n {
				if _, err := s.ReadAt(context.Background(), f, make([]byte, 512), 0); err != nil {
					t.Fatal(err)
				}
			}
			return plain
		}
		read(4096)
		if n := read(512); (n == 512) == waits {
			t.Errorf("calls that wait: %t: %d of 512 reads were plain calls", waits, n)
		}
		unknown.Store(true) // which counts as most of it
		now := s.paths.Clock() + pressure.Slow
		s.paths.Engines.Processors.Waited(5*pressure.Slow, now)
		if !s.paths.Engines.Processors.Taken(now) {
			t.Fatal("the processors are not taken after a long wait")
		}
		if c := s.Choices(); waits == (len(c) == 1 && c[0].InCall) {
			t.Errorf("calls that wait: %t: the governors have found %+v", waits, c)
		}
		if n := read(512); (n == 512) == waits {
			t.Errorf("calls that wait: %t, beside goroutines that compute: %d of 512 reads were plain calls", waits, n)
		}
		s.Close()
	}
}

// driverThatReads returns a driver whose reads succeed at once.
func driverThatReads() driver.Driver {
	drv := script.New(8)
	drv.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
	return drv
}

// Where the system does not say whether a thread waited, few calls are checked.
func TestChecksWithoutAnswer(t *testing.T) {
	hang.Watch(t)
	s := newOn(driverThatReads(), Options{Govern: true, CheckWaits: true})
	defer s.Close()
	s.paths.Clock = func() time.Duration { return time.Hour } // no comparison of governors ends
	s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
	asked := 0
	s.paths.ThreadWaits = func() (int64, bool) { asked++; return 0, false }
	f := iopath.NewFile(1<<20, true, false)
	for range 4096 {
		if _, err := s.ReadAt(context.Background(), f, make([]byte, 512), 0); err != nil {
			t.Fatal(err)
		}
	}
	if asked == 0 || asked > 8 {
		t.Errorf("it was asked %d times in 4096 reads; want 2 to 8", asked)
	}
}
