package mapped

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestGenerations checks that a page is known in the generation in which it was noted, and in no
// other.
func TestGenerations(t *testing.T) {
	var r residency
	r.init(70)
	g := r.generation.Load()
	for _, page := range []int64{0, 31, 32, 69} {
		if r.has(page) {
			t.Errorf("page %d is known before it was noted", page)
		}
		r.add(page, g)
		if !r.has(page) {
			t.Errorf("page %d is not known after it was noted", page)
		}
	}
	if r.has(1) || r.has(33) {
		t.Error("the neighbors of pages that were noted are known")
	}
	if n := r.before(0); n != 2 {
		t.Errorf("before = %d; want 2", n)
	}
	r.forget()
	if r.has(0) || r.has(69) {
		t.Error("pages are known after their generation has ended")
	}
	r.add(0, g)
	if r.has(0) {
		t.Error("a page that was found in an old generation is known in a new one")
	}
	if lost := r.refresh(0, 1<<31|1<<5, r.generation.Load()); lost != 1 { // of 0 and 31
		t.Errorf("refresh = %d; want 1", lost)
	}
	if r.has(0) || !r.has(5) || !r.has(31) {
		t.Errorf("after refresh known: 0 %v, 5 %v, 31 %v; want 5 and 31", r.has(0), r.has(5), r.has(31))
	}
	r.close()
	r.add(3, r.generation.Load())
	r.refresh(0, 1<<3, r.generation.Load())
	r.forget()
	if r.has(3) || r.has(5) {
		t.Error("pages are known after close")
	}
}

// TestGenerationComesRound checks that the generation after the last is the first, not closed.
func TestGenerationComesRound(t *testing.T) {
	var r residency
	r.init(1)
	r.generation.Store(closed - 1)
	r.forget()
	if g := r.generation.Load(); g != 1 {
		t.Errorf("generation = %d; want 1", g)
	}
}

// TestAddsAtOnce checks that goroutines that note pages of one word keep each other's pages.
func TestAddsAtOnce(t *testing.T) {
	for range 200 {
		var r residency
		r.init(pagesInWord)
		r.forget()
		var all sync.WaitGroup
		for page := range int64(pagesInWord) {
			all.Go(func() { r.add(page, 2) })
		}
		all.Wait()
		for page := range int64(pagesInWord) {
			if !r.has(page) {
				t.Fatalf("page %d is not known", page)
			}
		}
	}
}

// TestNothingOutlivesItsTimer checks that a remembered page has a timer that will end it, in every
// order in which goroutines find pages and the timer ends generations.
func TestNothingOutlivesItsTimer(t *testing.T) {
	m := &Mapping{period: firstPeriod, timer: time.NewTimer(time.Hour)}
	m.resident.init(8)
	rng := rand.New(rand.NewPCG(1, 2))
	found := make([]uint32, 8) // the results of current, one for each page
	for i := range 10_000 {
		page := rng.Int64N(8)
		switch rng.IntN(3) {
		case 0:
			found[page] = m.current()
		case 1:
			m.resident.add(page, found[page])
		case 2:
			if m.armed.Load() {
				m.expire()
			}
		}
		if m.resident.has(page) && !m.armed.Load() {
			t.Fatalf("step %d: page %d is known, and no timer runs", i, page)
		}
	}
}

func TestNextPeriod(t *testing.T) {
	for _, c := range []struct {
		d           time.Duration
		asked, lost int64
		want        time.Duration
	}{
		{firstPeriod, 0, 0, firstPeriod},
		{mostPeriod, 0, 0, firstPeriod},
		{leastPeriod, 0, 0, leastPeriod},
		{firstPeriod, 100, 0, 2 * firstPeriod},
		{mostPeriod, 100, 0, mostPeriod},
		{firstPeriod, 1000, 1, firstPeriod},
		{firstPeriod, 100, 2, firstPeriod / 2},
		{leastPeriod, 100, 100, leastPeriod},
	} {
		if d := nextPeriod(c.d, c.asked, c.lost); d != c.want {
			t.Errorf("nextPeriod(%v, %d, %d) = %v; want %v", c.d, c.asked, c.lost, d, c.want)
		}
	}
}
