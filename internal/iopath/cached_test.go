package iopath

import (
	"testing"
)

func TestStreakSkipsMostButNotAll(t *testing.T) {
	var c missCounter
	for i := range streakLong {
		if c.skipLook() {
			t.Fatalf("skip after %d misses = true; want false", i)
		}
		c.miss()
	}
	looks := 0
	for range 10 * streakProbe {
		if !c.skipLook() {
			looks++
			c.miss()
		}
	}
	if looks != 10 {
		t.Errorf("%d of %d reads of a long streak look; want 10", looks, 10*streakProbe)
	}
	if c.hit(); c.skipLook() {
		t.Error("skip after a hit = true; want false")
	}
}
