package iopath

import (
	"testing"
)

func TestStreakSkipsMostButNotAll(t *testing.T) {
	var c missCounter
	for i := range missesBeforeSkip {
		if c.skipLook() {
			t.Fatalf("skip after %d misses = true; want false", i)
		}
		c.miss()
	}
	looks := 0
	for range 10 * lookEvery {
		if !c.skipLook() {
			looks++
			c.miss()
		}
	}
	if looks != 10 {
		t.Errorf("%d of %d reads after many misses look; want 10", looks, 10*lookEvery)
	}
	if c.hit(); c.skipLook() {
		t.Error("skip after a hit = true; want false")
	}
}
