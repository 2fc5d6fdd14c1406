package governor

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// play has g choose for n operations, each of which takes as long as takes says.
func play(g *Governor, now *time.Duration, n int, inFlight int32, takes func(Choice) time.Duration) (plain int) {
	for range n {
		c := g.Choose(inFlight, 4, func() time.Duration { return *now })
		*now += takes(c)
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
		now := time.Hour
		for _, c := range []struct {
			queue, plain time.Duration
			want         Choice
		}{
			{10, 20, Queue}, {30, 15, Plain}, {60, 120, Queue}, {1200, 200, Plain}, {200, 1000, Queue}, {200, 200, Queue},
		} {
			takes := fixed(c.queue*time.Microsecond, c.plain*time.Microsecond)
			play(&g, &now, many, inFlight, takes)
			plain := play(&g, &now, many, inFlight, takes)
			if got, last := g.State(); got != c.want || (plain > many/2) != (c.want == Plain) {
				t.Errorf("with %d in flight, operations of %v and %v: %d of %d are plain calls, the best choice is %s, %+v; want %s",
					inFlight, c.queue, c.plain, plain, many, got, last, c.want)
			}
		}
	}
}

// The first guess is Plain where few operations are in flight.
func TestFirstGuess(t *testing.T) {
	for inFlight, want := range map[int32]Choice{0: Plain, 4: Plain, 5: Queue} {
		var g Governor
		now := time.Hour
		takes := fixed(time.Microsecond, time.Microsecond)
		if n := play(&g, &now, sampleEvery-1, inFlight, takes); n != 0 {
			t.Errorf("%d operations are plain calls before the first sample; want none", n)
		}
		if got := g.Choose(inFlight, 4, func() time.Duration { return now }); got != want {
			t.Errorf("with %d in flight the first guess is %s; want %s", inFlight, got, want)
		}
	}
}

// Goroutines choose at once, and each operation counts.
func TestConcurrent(t *testing.T) {
	const goroutines, each = 8, 10_000
	var g Governor
	var now atomic.Int64
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range each {
				g.Choose(goroutines, 4, func() time.Duration { return time.Duration(now.Add(int64(100 * time.Microsecond))) })
				g.State()
			}
		})
	}
	all.Wait()
	if n := g.Operations(); n != goroutines*each {
		t.Errorf("%d operations were counted; want %d", n, goroutines*each)
	}
	if _, last := g.State(); last.Number == 0 {
		t.Error("nothing was compared")
	}
}
