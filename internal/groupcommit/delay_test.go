package groupcommit

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The Leader waits for as many members as the last fsync has served, and not for ever. After a
// wait in vain the next attempt is left out.
func TestLeaderGathers(t *testing.T) {
	for _, comes := range []bool{true, false} {
		hang.Watch(t)
		var now atomic.Int64
		var y Syncer
		y.Expect(2, time.Second)
		role, g, err := y.Begin(driver.Fsync)
		if role != Leader || err != nil {
			t.Fatalf("Begin = %v, %v; want %v, nil", role, err, Leader)
		}
		gathered := make(chan struct{})
		go func() { y.WaitForGroup(g, func() time.Duration { return time.Duration(now.Load()) }); close(gathered) }()
		select {
		case <-gathered:
			t.Fatal("the leader goes on before the other is back")
		case <-time.After(time.Millisecond):
		}
		if comes {
			if role, g2, err := y.Begin(driver.Fsync); role != Member || g2 != g || err != nil {
				t.Fatalf("Begin = %v, %v, %v; want %v of the same group", role, g2, err, Member)
			}
		} else {
			now.Store(int64(maxDelay))
		}
		<-gathered // hangs if neither ends the wait
		if skip := y.delay.skip; (skip == 0) != comes {
			t.Errorf("next attempts left out: %d; the other has come: %t", skip, comes)
		}
	}
}

// A wait whose yields took as long as time slices is repeated later each time, whether the other has
// come or not. One with quick yields ends that.
func TestSlowYieldsAreRepeatedLater(t *testing.T) {
	for _, comes := range []bool{true, false} {
		var y Syncer
		wait := func(took time.Duration) {
			y.delay.expected, y.delay.took, y.delay.skip = 2, time.Second, 0
			y.next, y.running = nil, false
			_, g, err := y.Begin(driver.Fsync)
			if err != nil {
				t.Fatal(err)
			}
			readings := 0
			y.WaitForGroup(g, func() time.Duration {
				if readings++; readings == 2 && comes {
					y.Begin(driver.Fsync)
				}
				if readings > 2 {
					return took
				}
				return 0
			})
		}
		for _, want := range []uint16{15, 255, mostSlowPause, mostSlowPause} {
			if wait(sys.SlowYield); y.delay.skip != want {
				t.Errorf("next attempts left out: %d; want %d. The other has come: %t", y.delay.skip, want, comes)
			}
		}
		wait(sys.SlowYield - 1)
		if wait(sys.SlowYield); y.delay.skip != 15 {
			t.Errorf("next attempts left out after quick yields: %d; want 15. The other has come: %t", y.delay.skip, comes)
		}
	}
}

func TestManyAreNotHeldUp(t *testing.T) {
	m := commitDelay{expected: 100, took: time.Second}
	if m.enough(maxExpected-1) || !m.enough(maxExpected) {
		t.Errorf("enough(%d) = %t, enough(%d) = %t; want false, true",
			maxExpected-1, m.enough(maxExpected-1), maxExpected, m.enough(maxExpected))
	}
	if m.expected = 2; m.enough(1) || !m.enough(2) {
		t.Errorf("of 2 expected: enough(1) = %t, enough(2) = %t; want false, true", m.enough(1), m.enough(2))
	}
}

// Nobody waits longer than a fraction of an fsync.
func TestDelayLimit(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0:                      0,
		60 * time.Microsecond:  10 * time.Microsecond,
		600 * time.Microsecond: maxDelay,
		time.Hour:              maxDelay,
	} {
		if got := (&commitDelay{took: took}).limit(); got != want {
			t.Errorf("after an fsync of %v: limit %v; want %v", took, got, want)
		}
	}
}

// After n attempts in vain 2ⁿ-1 are left out, at most 255; one that
// succeeds ends that.
func TestFailedAttemptsAreSpacedOut(t *testing.T) {
	var r backoff
	skips := func() (n int) {
		for r.skipped() {
			n++
		}
		return n
	}
	for _, want := range []int{1, 3, 7, 15, 31, 63, 127, 255, 255} {
		r.note(false)
		if got := skips(); got != want {
			t.Errorf("%d left out; want %d", got, want)
		}
	}
	r.note(true)
	if got := skips(); got != 0 {
		t.Errorf("%d left out after a success; want 0", got)
	}
	if r.note(false); skips() != 1 {
		t.Error("a success does not start the count anew")
	}
}
