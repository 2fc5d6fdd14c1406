package pressure

import (
	"runtime"
	"testing"
	"time"
)

// A slow wait counts for share times as long, up to longest, and a quick one ends that.
func TestSignal(t *testing.T) {
	var s Signal
	now := time.Hour
	if s.Taken(now) {
		t.Error("the zero Signal says that the processors are taken")
	}
	for i, c := range []struct{ wait, lasts time.Duration }{
		{Slow - 1, 0},
		{Slow, share * Slow},
		{2 * Slow, 2 * share * Slow},
		{time.Hour, longest},
		{Slow, share * Slow},
		{0, 0},
	} {
		s.Waited(c.wait, now)
		if before, after := s.Taken(now+c.lasts-1), s.Taken(now+c.lasts); before != (c.lasts > 0) || after {
			t.Errorf("%d: after a wait of %v the processors are taken just before %v: %t, and then: %t", i, c.wait, c.lasts, before, after)
		}
		now += 2 * longest
	}
}

// One caller is to find out again when a finding has ended, and the finding counts until two time
// slices later. It is not found out again long after that.
func TestEnded(t *testing.T) {
	var s Signal
	s.Waited(Slow, time.Hour)
	end := time.Hour + share*Slow
	for i, c := range []struct {
		now          time.Duration
		ended, taken bool
	}{
		{end - 1, false, true},
		{end, true, true},
		{end, false, true},
		{end + 2*timeSlice - 1, false, true},
		{end + 2*timeSlice + longest, false, false},
		{end + 2*timeSlice + longest - 1, true, true},
	} {
		if ended, taken := s.Ended(c.now), s.Taken(c.now); ended != c.ended || taken != c.taken {
			t.Errorf("%d: Ended = %t, and then Taken = %t; want %t, %t", i, ended, taken, c.ended, c.taken)
		}
	}
	if s = (Signal{}); s.Ended(time.Hour) {
		t.Error("the zero Signal has a finding")
	}
}

// A yield is due if the program used most of the processors' time. That is asked once in askEvery,
// and when the clock is another one.
func TestDue(t *testing.T) {
	var s Signal
	procs := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	used := time.Second
	s.Used = func() time.Duration { return used }
	s.Due(time.Hour)
	for i, c := range []struct {
		now, used time.Duration
		due       bool
	}{
		{time.Hour + askEvery, askEvery * procs, true},
		{time.Hour + 2*askEvery - 1, 0, true},
		{time.Hour + 2*askEvery, askEvery / 2 * procs, false},
		{time.Hour + 3*askEvery - 1, askEvery * procs, false},
		{time.Hour + 3*askEvery, 0, true},
		{time.Minute, 0, true},
		{time.Minute + askEvery, 0, false},
	} {
		used += c.used
		if due := s.Due(c.now); due != c.due {
			t.Errorf("%d: Due(%v) = %t; want %t", i, c.now, due, c.due)
		}
	}
}

// A program computes if it used half of the processors' time, or more.
func TestComputes(t *testing.T) {
	procs := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	for used, want := range map[time.Duration]bool{0: true, askEvery * procs * 2 / 5: false, askEvery * procs / 2: true, askEvery * procs: true} {
		var s Signal
		total := time.Hour
		s.Used = func() time.Duration { return total }
		s.Begin(time.Minute)
		if total += used; used == 0 { // not known
			total = 0
		}
		s.Due(time.Minute + askEvery)
		if got := s.Computes(); got != want {
			t.Errorf("of %v the program has used %v: Computes = %t; want %t", askEvery*procs, used, got, want)
		}
	}
}

// What the program used before Begin is not used beside operations, and a moment after it tells
// nothing.
func TestBegin(t *testing.T) {
	procs := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	for _, used := range []time.Duration{Slow / 2, Slow * procs} {
		var s Signal
		total := time.Hour
		s.Used = func() time.Duration { return total }
		s.Begin(time.Minute)
		total += used / 4
		if s.Due(time.Minute + Slow/4) {
			t.Errorf("a yield is due %v after Begin", Slow/4)
		}
		total += used - used/4
		if due, want := s.Due(time.Minute+Slow), used == Slow*procs; due != want {
			t.Errorf("of %v the program has used %v: Due = %t; want %t", Slow, used, due, want)
		}
	}
}

// A long wait tells nothing if processors were idle.
func TestIdle(t *testing.T) {
	procs := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	for _, c := range []struct {
		used time.Duration // in a wait of Slow
		want bool
	}{{Slow * procs, true}, {Slow * procs * 7 / 8, true}, {Slow * procs / 2, false}, {0, false}} {
		var s Signal
		used := time.Second
		s.Used = func() time.Duration { return used }
		s.Waits(time.Hour)
		used += c.used
		s.Waited(Slow, time.Hour+Slow)
		if taken := s.Taken(time.Hour + Slow); taken != c.want {
			t.Errorf("the program has used %v of %v; Taken = %t; want %t", c.used, Slow*procs, taken, c.want)
		}
	}
}

// Of two goroutines that have waited beside each other, the second one has used little since the
// first one asked: that tells nothing.
func TestWaitsBesideEachOther(t *testing.T) {
	procs := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	for _, want := range []bool{false, true} {
		var s Signal
		used := time.Second
		s.Used = func() time.Duration { return used }
		s.Waits(time.Hour)
		if used += Slow / 8; want {
			used += Slow * procs
		}
		s.Waited(Slow, time.Hour+Slow)
		used += Slow / 8 * procs
		s.Waited(Slow, time.Hour+Slow+Slow/8)
		if taken := s.Taken(time.Hour + 2*Slow); taken != want {
			t.Errorf("Taken = %t; want %t", taken, want)
		}
	}
}

// A wait that has begun before Forget was called counts for nothing, a later one does, and so does
// one by another clock.
func TestForget(t *testing.T) {
	var s Signal
	now := time.Hour
	s.Waited(Slow, now)
	s.Forget(now)
	if s.Taken(now) || s.Noted() {
		t.Error("the finding was not forgotten")
	}
	for _, c := range []struct {
		now, wait time.Duration
		want      bool
	}{
		{now + Slow, 2 * Slow, false},
		{now + Slow, Slow, true},
		{time.Minute, Slow, true},
	} {
		s.until.Store(0)
		s.Waited(c.wait, c.now)
		if got := s.Taken(c.now); got != c.want {
			t.Errorf("Waited(%v, %v) after Forget(%v): Taken = %t; want %t", c.wait, c.now, now, got, c.want)
		}
	}
}
