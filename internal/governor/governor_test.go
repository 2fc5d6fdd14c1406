package governor

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// noting is a Journal that notes trials.
type noting interface {
	Journal
	note(*Trial)
}

// choose counts an operation and returns how it is performed. J notes a trial that ends.
func choose(g *Governor, inFlight, few int32, j noting) Choice {
	if t := g.Count(inFlight, few, j); t != nil {
		j.note(t)
	}
	return g.Choice()
}

// journal is a Journal whose clock goes on by play.
type journal struct {
	now    time.Duration
	taken  bool // the processors are
	noted  bool // they were when that was last asked
	idle   bool // the program computes little
	trials []Trial
}

func (j *journal) Now() time.Duration { return j.now }

func (j *journal) ProbeProcessors() bool {
	j.noted = j.taken
	return j.taken
}

func (j *journal) Forget() {}

func (j *journal) Computes() bool { return !j.idle }

func (j *journal) Prepare() {}

func (j *journal) note(t *Trial) { j.trials = append(j.trials, *t) }

// play has g choose for n operations. Takes says how long an operation takes.
func play(g *Governor, j *journal, n int, inFlight int32, takes func(Choice) time.Duration) (plain int) {
	for range n {
		var c Choice
		if j.noted && j.taken && !g.Immune() { // sched does that
			g.Pause()
		} else {
			c = choose(g, inFlight, 4, j)
		}
		j.now += takes(c)
		plain += int(c)
	}
	return plain
}

// fixed returns what play needs: operations that take so long, queued and plain.
func fixed(queue, plain time.Duration) func(Choice) time.Duration {
	return func(c Choice) time.Duration { return [...]time.Duration{queue, plain}[c] }
}

// A Governor comes to the choice with which more operations begin, and follows a change.
func TestChoose(t *testing.T) {
	const many = 100_000
	for _, inFlight := range []int32{0, 1, 64} {
		var g Governor
		j := &journal{now: time.Hour}
		for _, c := range []struct {
			queue, plain time.Duration
			want         Choice
		}{
			{10, 20, Queue}, {30, 15, Plain}, {60, 120, Queue}, {1200, 200, Plain}, {200, 1000, Queue}, {200, 200, Queue},
		} {
			takes := fixed(c.queue*time.Microsecond, c.plain*time.Microsecond)
			play(&g, j, many, inFlight, takes)
			plain := play(&g, j, many, inFlight, takes)
			if got, last := g.State(); got != c.want || (plain > many/2) != (c.want == Plain) {
				t.Errorf("with %d in flight, operations of %v and %v: %d of %d are plain calls, the best choice is %s, %+v; want %s",
					inFlight, c.queue, c.plain, plain, many, got, last, c.want)
			}
		}
	}
}

// Operations are plain calls until there is a first guess. The guess is Queue at once if more than
// few are in flight, and otherwise Plain after sampleEvery operations.
func TestFirstGuess(t *testing.T) {
	for _, c := range []struct{ inFlight, plain int32 }{{0, sampleEvery}, {1, sampleEvery}, {4, sampleEvery}, {5, 0}} {
		g, j := new(Governor), &journal{now: time.Hour}
		for n := range int32(sampleEvery) {
			if begun := g.begun.Load(); begun != (c.plain == 0 && n > 0) {
				t.Errorf("%+v: there is a first guess before operation %d: %t", c, n, begun)
			}
			want := Plain
			if n >= c.plain {
				want = Queue
			}
			if got := choose(g, c.inFlight, 4, j); got != want {
				t.Errorf("%+v: operation %d: %s; want %s", c, n, got, want)
			}
		}
		if !g.begun.Load() {
			t.Errorf("%+v: no first guess after %d operations", c, sampleEvery)
		}
	}
	var g Governor
	if g.Pause(); g.Undecided(5) || g.Choice() != Queue {
		t.Errorf("beside goroutines that compute an operation yields, or is %s", g.Choice())
	}
}

// A first guess of Plain ends when more operations come than plain calls serve well. A choice that
// was compared stays.
func TestGuessEnds(t *testing.T) {
	for compared, want := range map[bool]Choice{false: Queue, true: Plain} {
		g, j := new(Governor), &journal{now: time.Hour}
		takes := fixed(50*time.Microsecond, 20*time.Microsecond)
		n := sampleEvery
		if compared {
			n = 50_000
		}
		play(g, j, n, 4, takes)
		if c, last := g.State(); c != Plain || (last.Number > 0) != compared {
			t.Fatalf("State = %v, %+v; want plain calls, and a comparison: %t", c, last, compared)
		}
		play(g, j, sampleEvery, 5, takes)
		if c, _ := g.State(); c != want {
			t.Errorf("%v once more operations are in flight, after a comparison: %t; want %v", c, compared, want)
		}
	}
}

// When a pause ends a measured choice of Plain, State no longer has the result, which speaks for
// Plain. It still has the number of comparisons.
func TestPauseForgetsTheResult(t *testing.T) {
	g, j := new(Governor), &journal{now: time.Hour}
	takes := fixed(50*time.Microsecond, 20*time.Microsecond)
	play(g, j, 50_000, 4, takes)
	c, before := g.State()
	if c != Plain || before.Trials == 0 {
		t.Fatalf("State = %v, %+v; want plain calls, and a comparison", c, before)
	}
	g.Pause()
	play(g, j, sampleEvery, 2*4+1, takes)
	if c, last := g.State(); c != Queue || last != (Comparison{Number: before.Number}) {
		t.Errorf("State after a pause with many operations in flight = %v, %+v; want %v, %d comparisons and no result", c, last, Queue, before.Number)
	}
}

// A first guess of Plain is tried once after firstTrial, however few epochs there were. If nothing
// comes of the trial, because it is given up, the next one has to be earned.
func TestFirstTrial(t *testing.T) {
	const takes = 60 * time.Microsecond // so there are seven epochs in firstTrial
	g, j := new(Governor), &journal{now: time.Hour}
	trials := 0
	for last := resting; j.now < time.Hour+2*firstTrial; last = g.machine.phase {
		choose(g, 1, 4, j)
		if g.machine.phase == trial && last != trial {
			trials++
			if since := j.now - time.Hour; since < firstTrial || since > firstTrial+(leastOps+sampleEvery)*takes {
				t.Errorf("a trial after %v", since)
			}
			g.Pause()
		}
		j.now += takes
	}
	if c, _ := g.State(); trials != 1 || c != Plain || !g.machine.Guessed(Plain) {
		t.Errorf("%d trials, and the best choice is %s, a guess: %t; want one trial of a guess of plain calls",
			trials, c, g.machine.Guessed(Plain))
	}
}

// Where the program computes little, the first trial of a guess of Plain has to be earned, until
// the program computes more.
func TestFirstTrialOfIdle(t *testing.T) {
	const takes = 60 * time.Microsecond
	g, j := new(Governor), &journal{now: time.Hour, idle: true}
	for j.now < time.Hour+4*firstTrial {
		if choose(g, 1, 4, j); g.machine.phase == trial {
			t.Fatalf("a trial after %v", j.now-time.Hour)
		}
		j.now += takes
	}
	j.idle = false
	for range leastOps + sampleEvery {
		if choose(g, 1, 4, j); g.machine.phase == trial {
			return
		}
		j.now += takes
	}
	t.Error("no trial when the program computes")
}

// A Governor notes each trial once: from when to when it was, of how many operations, and its
// result.
func TestTrials(t *testing.T) {
	for _, c := range []struct {
		queue, plain time.Duration
		inFlight     int32
	}{{20, 10, 64}, {10, 20, 64}, {20, 10, 1}, {10, 20, 1}, {10, 10, 64}} {
		var g Governor
		var want []Trial
		j := &journal{now: time.Hour}
		takes := fixed(c.queue*time.Microsecond, c.plain*time.Microsecond)
		for last := resting; j.now < time.Hour+10*time.Second; last = g.machine.phase {
			choice := choose(&g, c.inFlight, 4, j)
			if g.machine.phase == resting && last == trial { // it had no result
				want = want[:len(want)-1]
			}
			if g.machine.phase == trial {
				if last != trial {
					want = append(want, Trial{Choice: choice, Began: j.now, Rate: float64(takes(1-choice)) / float64(takes(choice))})
				}
				w := &want[len(want)-1]
				w.Operations++
				w.Ended = j.now + takes(choice)
			}
			j.now += takes(choice)
		}
		// the last one may wait for the epoch after it
		if n := len(j.trials); n < 2 || n > len(want) || n < len(want)-1 {
			t.Fatalf("%v: %d trials were noted, of %d", c, n, len(want))
		}
		for i, got := range j.trials {
			rate := got.Rate
			got.Rate = want[i].Rate
			if late := got.Began - want[i].Began; got.Choice == Plain && late > 0 && late <= sysmonSleep+leastOps*takes(Plain) {
				want[i].Began, want[i].Operations = got.Began, uint32((got.Ended-got.Began)/takes(Plain))
			}
			if got != want[i] || math.Abs(rate-got.Rate) > 1e-9 {
				t.Errorf("%v: trial %d is %+v, with the rate %g; want %+v", c, i, got, rate, want[i])
			}
		}
	}
}

// Goroutines choose at once, and each operation counts.
func TestConcurrent(t *testing.T) {
	const goroutines, each = 8, 200_000
	var g Governor
	var j shared
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range each {
				choose(&g, goroutines, 4, &j)
				g.State()
			}
		})
	}
	all.Wait()
	if n := g.Operations(); n != goroutines*each {
		t.Errorf("%d operations were counted; want %d", n, goroutines*each)
	}
	// Before that, one goroutine may have had the lock all the time, and nothing was compared.
	for range each {
		choose(&g, goroutines, 4, &j)
	}
	if _, last := g.State(); last.Number == 0 || int(j.trials.Load()) < last.Trials {
		t.Errorf("there were %d trials, and %+v was compared", j.trials.Load(), last)
	}
}

// shared is a Journal for many goroutines. Its clock goes on when it is read.
type shared struct{ now, trials atomic.Int64 }

func (s *shared) Now() time.Duration { return time.Duration(s.now.Add(int64(100 * time.Microsecond))) }

func (s *shared) ProbeProcessors() bool { return false }

func (s *shared) Forget() {}

func (s *shared) Prepare() {}

func (s *shared) Computes() bool { return true }

func (s *shared) note(*Trial) { s.trials.Add(1) }

// Beside goroutines that compute the queue is in force, and nothing is guessed or compared. A trial
// is given up, and plain calls are not the choice after that if many operations are in flight.
func TestPause(t *testing.T) {
	g, j := new(Governor), &journal{taken: true, noted: true}
	if play(g, j, 10_000, 1, fixed(time.Microsecond, time.Microsecond)) != 0 {
		t.Error("plain calls beside goroutines that compute")
	}
	if c, last := g.State(); c != Queue || last.Number != 0 {
		t.Errorf("State = %v, %+v; want nothing compared", c, last)
	}
	j.taken = false
	play(g, j, 50_000, 1, fixed(50*time.Microsecond, 20*time.Microsecond))
	if c, _ := g.State(); c != Plain {
		t.Fatalf("%v; want plain calls, which are quicker", c)
	}
	for _, c := range []struct {
		inFlight int32
		want     Choice
	}{{1, Plain}, {8, Plain}, {9, Queue}} {
		g.Pause()
		if g.Choice() != Queue {
			t.Error("plain calls after Pause")
		}
		play(g, j, sampleEvery, c.inFlight, fixed(20*time.Microsecond, 20*time.Microsecond))
		if g.Choice() != c.want {
			t.Errorf("%v with %d in flight after a pause; want %v", g.Choice(), c.inFlight, c.want)
		}
	}
}

// Plain calls that do not wait keep the processors themselves: they stay. Those that wait do not.
func TestPlainCallsThatDoNotWait(t *testing.T) {
	for waits, want := range map[bool]Choice{false: Plain, true: Queue} {
		g, j := new(Governor), &journal{now: time.Hour}
		const takes = 2 * time.Microsecond
		for range 10 * leastGap {
			if g.BeginCheck() {
				g.EndCheck(waits)
			}
			play(g, j, 1, 1, fixed(takes, takes))
		}
		j.taken = true
		play(g, j, sampleEvery, 1, fixed(takes, takes))
		if g.Choice() != want || g.Immune() == waits {
			t.Errorf("calls that wait: %t: %v beside others that have the processors, Immune = %t", waits, g.Choice(), g.Immune())
		}
		g.Pause()
		if g.Choice() != want {
			t.Errorf("calls that wait: %t: %v after a pause", waits, g.Choice())
		}
	}
}

// A check comes after 64 operations, and after checks of calls that have waited later each time,
// but not later than after 65,536.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		waits bool
		at    []int
	}{
		{false, []int{0, 64, 128, 192, 256, 320}},
		{true, []int{0, 1024, 5120, 21504, 87040, 152576, 218112}},
	} {
		g, j := new(Governor), &journal{now: time.Hour}
		var at []int
		for n := range 250_000 {
			if g.BeginCheck() {
				g.GiveUpCheck() // as if no permit was free
				if !g.BeginCheck() || g.BeginCheck() {
					t.Fatal("a check that was given up is not due, or two go on at a time")
				}
				g.EndCheck(c.waits)
				at = append(at, n)
			}
			g.Count(0, 1, j)
		}
		if !slices.Equal(at[:len(c.at)], c.at) {
			t.Errorf("calls that wait: %t: checks after %v operations; want %v", c.waits, at, c.at)
		}
	}
}

// Plain calls count as not waiting while their score is 4 or more: each call that did not wait adds
// one, up to 8, and each that did takes four.
func TestFewCallsWait(t *testing.T) {
	for waits, want := range map[string]bool{
		"": false, "nnn": false, "nnnn": true, "nnnw": false, "nnnnnnnn": true, "nnnnnnnnw": true, "nnnnnnnnww": false,
		"nnnnnnnnwnnnnwnnnnw": true, "nnnnwn": false, "wwwwnnnn": true,
	} {
		g := new(Governor)
		for _, w := range waits {
			g.EndCheck(w == 'w')
		}
		if g.InCall() != want {
			t.Errorf("after %q InCall = %t", waits, g.InCall())
		}
	}
}
