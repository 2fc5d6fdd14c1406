package groupcommit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/pressure"
)

// caller is a Caller with a clock.
type caller struct {
	Caller
	now        func() time.Duration
	processors pressure.Signal
}

func (c *caller) Now() time.Duration           { return c.now() }
func (c *caller) Processors() *pressure.Signal { return &c.processors }

// at returns a Caller with that clock.
func at(now func() time.Duration) *caller { return &caller{now: now} }

// lead begins a Sync of y that leads a group, with the backoff forgotten.
func lead(t *testing.T, y *Syncer) *group {
	t.Helper()
	y.delay.skip, y.next, y.running = 0, nil, false
	g, leads, err := y.begin(driver.Fsync)
	if g == nil || !leads || err != nil {
		t.Fatalf("begin = %v, %t, %v; want a group, true, nil", g, leads, err)
	}
	return g
}

// The leader waits for as many members as the last fsync has served, as long as one comes in each
// window. After a wait in which none came the next attempt is left out.
func TestLeaderGathers(t *testing.T) {
	const window = time.Second
	for _, c := range []struct {
		name     string
		expected int
		come     []time.Duration // when members come
		ends     time.Duration
		skip     uint16
	}{
		{"the other comes", 2, []time.Duration{window / 2}, window / 2, 0},
		{"the other does not come", 2, nil, window, 1},
		{"one in each window", 4, []time.Duration{window / 2, 3 * window / 2, 5 * window / 2}, 5 * window / 2, 0},
		{"one of two comes", 3, []time.Duration{window / 2}, 2 * window, 0},
		{"one comes too late", 3, []time.Duration{3 * window / 2}, window, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var y Syncer
			start := time.Now()
			y.Init(Options{Expected: c.expected, Window: window})
			g := lead(t, &y)
			for _, at := range c.come {
				time.AfterFunc(at, func() { y.begin(driver.Fsync) })
			}
			y.waitForGroup(g, at(func() time.Duration { return 0 }))
			if took := time.Since(start); took != c.ends || y.delay.skip != c.skip {
				t.Errorf("%s: waits for %v, and leaves out %d attempts; want %v, %d", c.name, took, y.delay.skip, c.ends, c.skip)
			}
			time.Sleep(10 * window)
		})
	}
}

// However many come, the leader does not wait for ever.
func TestLeaderGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var y Syncer
		start := time.Now()
		y.Init(Options{Expected: 1 << 30, Window: time.Millisecond})
		g := lead(t, &y)
		stop := make(chan bool)
		go func() {
			for tick := time.NewTicker(time.Millisecond / 2); ; {
				select {
				case <-tick.C:
					y.begin(driver.Fsync)
				case <-stop:
					return
				}
			}
		}()
		y.waitForGroup(g, at(func() time.Duration { return time.Since(start) }))
		if took := time.Since(start); took != mostWait {
			t.Errorf("waits for %v; want %v", took, mostWait)
		}
		close(stop)
	})
}

// A leader whose timer was late waits longer the next time, and so does the leader of another file.
// If the longer wait ends in time, the next one is short again.
func TestLateWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late time.Duration
		start := time.Now()
		readings := 0
		c := at(func() time.Duration {
			if readings++; readings == 5 { // when the timer has ended the wait
				return time.Since(start) + late
			}
			return time.Since(start)
		})
		wait := func(comes time.Duration) (took time.Duration) {
			var y Syncer
			y.Init(Options{Expected: 2, Window: time.Microsecond})
			g := lead(t, &y)
			if comes > 0 {
				time.AfterFunc(comes, func() { y.begin(driver.Fsync) })
			}
			before := time.Now()
			readings = 0
			y.waitForGroup(g, c)
			return time.Since(before)
		}
		const long = pressure.Slow
		for i, w := range []struct{ late, comes, want time.Duration }{
			{long - 1, 0, time.Microsecond},
			{long, 0, time.Microsecond},
			{0, long / 2, long / 2},
			{0, long / 2, long / 2},
			{0, 0, long},
			{0, 0, time.Microsecond},
		} {
			late = w.late
			if took := wait(w.comes); took != w.want {
				t.Errorf("wait %d took %v; want %v", i+1, took, w.want)
			}
		}
	})
}

// Nobody waits longer than a fraction of an fsync.
func TestDelayWindow(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0:                     0,
		60 * time.Microsecond: 60 * time.Microsecond / delayFraction,
		60 * time.Millisecond: pressure.Slow,
	} {
		if got := (&commitDelay{took: took}).window(false); got != want {
			t.Errorf("after an fsync of %v: a window of %v; want %v", took, got, want)
		}
	}
}

// After n failed attempts 2ⁿ-1 are left out, at most 255. An attempt that succeeds ends that.
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
