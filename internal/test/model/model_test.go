package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// settled is the time from which on a program is looked at.
const settled = 50 * time.Millisecond

// scenarios returns programs on 2 to 64 processors with devices of 500 to 2,000,000 operations a
// second, and with a device that never waits.
func scenarios() (all []Scenario) {
	devices := []Device{
		{500, 4 * time.Millisecond},
		{20e3, 100 * time.Microsecond},
		{100e3, 80 * time.Microsecond},
		{500e3, 80 * time.Microsecond},
		{1e6, 12 * time.Microsecond},
		{2e6, 80 * time.Microsecond},
		{},
	}
	goroutines := []int{1, 4, 16, 64, 256, 1024, 4096}
	work := []time.Duration{0, 5 * time.Microsecond, 50 * time.Microsecond}
	for i, procs := range []int{2, 4, 8, 16, 32, 64} {
		for j, d := range devices {
			for k := range 2 {
				if d.Latency == 0 && procs > 16 {
					continue // some 30 million operations a second would take long
				}
				p := Program{
					Goroutines: goroutines[(i+3*j+3*k)%len(goroutines)],
					Work:       work[(i+j+k)%len(work)],
				}
				all = append(all, Scenario{Processors: procs, Device: d, Costs: Xeon, Program: p})
			}
		}
		for _, n := range []int{1, 4, 64} {
			if procs <= 16 {
				p := Program{Goroutines: n, Computing: 2 * procs}
				s := Scenario{Processors: procs, Device: devices[2], Costs: Xeon, Program: p}
				all = append(all, s)
			}
		}
	}
	return all
}

func (s Scenario) String() string {
	p := s.Program
	return fmt.Sprintf("P%d, %gk/s %v, G%d, work %v, C%d",
		s.Processors, s.Device.Rate/1000, s.Device.Latency, p.Goroutines, p.Work, p.Computing)
}

// times returns the end of the runs: of the fixed sides, and of sluice, which has trials. With many
// goroutines the first ones are after 0.4 s.
func (s Scenario) times() (fixed, governed time.Duration) {
	switch rate := s.Device.Rate; {
	case s.Program.Computing > 0:
		return 2 * time.Second, 2 * time.Second // many time slices
	case rate == 0 || rate > 400e3:
		return 150 * time.Millisecond, 650 * time.Millisecond
	case rate < 30e3:
		fixed = settled + time.Duration(3000/rate*float64(time.Second)) // 3,000 operations
		return fixed, max(fixed, 1050*time.Millisecond)
	}
	return 150 * time.Millisecond, 1050 * time.Millisecond
}

// rate returns the rate from settled to end. Beside goroutines that compute it depends on when
// their time slices end: there it is the mean of six runs.
func (s Scenario) rate(side Side, end time.Duration) (mean float64) {
	runs := uint64(1)
	if s.Program.Computing > 0 {
		runs = 6
	}
	for s.Seed = range runs {
		mean += s.Run(side, settled, end).Rate / float64(runs)
	}
	return mean
}

// TestNoFixedChoiceIsBetter checks that in no scenario the governor has less than 0.97 of the
// better one of two fixed choices: all operations queued, or all plain calls up to the budget. Few
// goroutines beside others that compute are compared with plain calls only.
func TestNoFixedChoiceIsBetter(t *testing.T) {
	const least = 0.97
	for i, s := range scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && i%6 != 0 {
				skip.For(t, skip.Short, "one in six with -short")
			}
			fixed, governed := s.times()
			queued, plain, got := s.rate(AllQueued, fixed), s.rate(AllPlain, fixed), s.rate(Sluice, governed)
			if s.Program.Computing > 0 && s.Program.Goroutines <= 2*s.Processors {
				queued = 0 // half too fast: see TestMeasured
			}
			if of := got / max(queued, plain); of < least {
				t.Errorf("%.3f of the best fixed choice: %.0f a second; queued %.0f, plain %.0f", of, got, queued, plain)
			}
		})
	}
}

// TestStarts checks that plain calls do not lock out the queue: 16 goroutines on two processors
// have most operations queued, however many goroutines the governor has seen before.
func TestStarts(t *testing.T) {
	s := Scenario{Processors: 2, Device: Device{100e3, 80 * time.Microsecond}, Costs: Xeon}
	for _, first := range []int{0, 1, 2, 4, 16, 64} {
		s.Program.Goroutines = first
		r := s.begin(Sluice)
		for r.ops < 200*first {
			r.play(r.now + time.Millisecond)
		}
		r.Goroutines = 16
		for i := first; i < r.Goroutines; i++ {
			r.start(i)
		}
		r.play(r.now + settled)
		ops, plains := r.ops, r.plains
		r.play(r.now + 200*time.Millisecond)
		if ops, plains = r.ops-ops, r.plains-plains; ops == 0 || plains > ops/2 {
			t.Errorf("after %d goroutines: %d of %d operations are plain calls; want at most half", first, plains, ops)
		}
	}
}

// TestRunsAreTheSame checks that two runs of one scenario are the same.
func TestRunsAreTheSame(t *testing.T) {
	s := Scenario{Processors: 4, Device: Device{100e3, 80 * time.Microsecond}, Costs: Xeon}
	s.Program = Program{Goroutines: 64, Computing: 1}
	for _, side := range []Side{OSFile, Sluice, AllQueued, AllPlain} {
		first := s.Run(side, 0, 100*time.Millisecond)
		second := s.Run(side, 0, 100*time.Millisecond)
		if first != second || first.Rate == 0 {
			t.Errorf("%s: %+v, and then %+v", side, first, second)
		}
	}
}

// TestGrow checks that rings follow the load. If no operation waits, one leader is the limit, and
// rings are added. If the device is the limit, one ring stays.
func TestGrow(t *testing.T) {
	s := Scenario{Processors: 16, Costs: Xeon, Rings: 1, Program: Program{Goroutines: 256}}
	const warm, end = 20 * time.Millisecond, 60 * time.Millisecond
	one := s.Run(AllQueued, warm, end)
	s.Rings = 0
	if got := s.Run(AllQueued, warm, end); got.Rings != 4 || got.Rate < 3*one.Rate {
		t.Errorf("Run = %+v; want 4 rings, and at least three times as much as one, %+v", got, one)
	}
	s.Device = Device{20e3, 80 * time.Microsecond}
	if got := s.Run(AllQueued, warm, end); got.Rings != 1 {
		t.Errorf("with a slow device Run = %+v; want 1 ring", got)
	}
}

// TestSteadyLoad checks that the number of rings hardly changes under a steady load. A ring may
// leave and come back once in three seconds: then the next rest is twice as long.
func TestSteadyLoad(t *testing.T) {
	for _, c := range []struct {
		processors, goroutines int
		rate                   float64
	}{{8, 64, 0.5e6}, {16, 64, 0.5e6}, {16, 256, 0.5e6}} {
		s := Scenario{Processors: c.processors, Costs: Xeon, Program: Program{Goroutines: c.goroutines}}
		s.Device = Device{c.rate, 80 * time.Microsecond}
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			r := s.begin(Sluice)
			r.play(settled)
			rings, changes := r.open, 0
			for r.now < settled+3*time.Second {
				r.play(r.now + time.Millisecond)
				if r.open != rings {
					rings = r.open
					changes++
				}
			}
			if changes > 2 {
				t.Errorf("the number of rings changed %d times in 3 s; want at most 2", changes)
			}
		})
	}
}
