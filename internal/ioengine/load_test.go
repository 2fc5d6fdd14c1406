package ioengine

import (
	"testing"
	"time"
)

// growing is a Growth with the rings and the clock of its device.
type growing struct {
	Growth
	now         time.Duration
	rings, most int
}

// finds has a leader find w after that time, and returns the number of rings.
func (g *growing) finds(w Window, after time.Duration) int {
	g.now += after
	g.rings += g.Judge(w, g.now, g.rings, g.most, false)
	return g.rings
}

// restOf returns for how long the leaders must wait before a ring leaves. The ring has left then.
func (g *growing) restOf() time.Duration {
	before, began := g.rings, g.now
	for g.finds(waiting, restTime/4) == before {
		if g.now > began+2*mostRest {
			return 0
		}
	}
	return g.now - began
}

// TestRestDoubles: each ring that comes back within the last rest makes the next one twice as long.
// A ring that comes later makes it the least again.
func TestRestDoubles(t *testing.T) {
	g := growing{rings: 1, most: 2}
	g.finds(tooMuch, 0)
	for want := restTime; want <= mostRest; want *= 2 {
		if got := g.restOf(); got != want {
			t.Fatalf("a ring leaves after %v; want %v", got, want)
		}
		if n := g.finds(tooMuch, want-1); n != 2 {
			t.Fatalf("%d rings; want 2", n)
		}
	}
	if got := g.restOf(); got != mostRest {
		t.Errorf("a ring leaves after %v; want %v", got, mostRest)
	}
	g.finds(tooMuch, mostRest)
	if got := g.restOf(); got != restTime {
		t.Errorf("a ring leaves after %v once the load has changed; want %v", got, restTime)
	}
}

// TestRestDoublesOnce: one mistake counts once, however many rings come after it.
func TestRestDoublesOnce(t *testing.T) {
	g := growing{rings: 2, most: 4}
	g.finds(waiting, 0)
	g.restOf()
	for range 5 {
		g.finds(tooMuch, 1)
	}
	if got := g.restOf(); got != 2*restTime || g.rings != 3 {
		t.Errorf("a ring leaves after %v, and %d are left; want %v, 3", got, g.rings, 2*restTime)
	}
}

// TestFewerRings: a ring leaves only if the leaders that are left would mostly wait, and have room.
func TestFewerRings(t *testing.T) {
	for _, c := range []struct {
		rings, waited, inFlight int
		leaves                  bool
	}{
		{2, 48, 64, true},
		{2, 47, 64, false},
		{2, 48, 65, false},
		{3, 43, 85, true},
		{3, 42, 85, false},
		{3, 43, 86, false},
		{8, 36, 112, true},
		{8, 35, 112, false},
		{8, 36, 113, false},
	} {
		g := growing{rings: c.rings, most: c.rings}
		w := Window{Operations: 64, Reaps: 64, Known: 64, Waited: c.waited, InFlight: c.inFlight, Depth: 128}
		g.finds(w, 0)
		if left := g.finds(w, restTime) < c.rings; left != c.leaves {
			t.Errorf("%+v: a ring leaves: %t", c, left)
		}
	}
}

// TestMoreThanMost: rings beyond the most leave with each window, whatever the leaders have found.
// That is no mistake of Growth.
func TestMoreThanMost(t *testing.T) {
	for _, w := range []Window{tooMuch, waiting, neither, small, unknown} {
		g := growing{rings: 4, most: 2}
		if a, b, c := g.finds(w, 0), g.finds(w, 0), g.finds(w, 0); a != 3 || b != 2 || c != 2 {
			t.Errorf("%+v: %d, %d, %d rings; want 3, 2, 2", w, a, b, c)
		}
		g.most = 3
		g.finds(tooMuch, 1)
		if got := g.restOf(); got != restTime {
			t.Errorf("%+v: a ring leaves after %v; want %v", w, got, restTime)
		}
	}
}

// TestWindowInFlight: a window has the most operations that the driver had in it.
func TestWindowInFlight(t *testing.T) {
	var l load
	for _, c := range []struct{ inFlight, want int }{{3, 3}, {9, 9}, {5, 9}} {
		if l.reaped(c.inFlight, 1); l.now.InFlight != c.want {
			t.Errorf("InFlight = %d after a Reap of %d; want %d", l.now.InFlight, c.inFlight, c.want)
		}
	}
}
