package iopath

import (
	"slices"
	"testing"
)

func TestStreakSkipsMostButNotAll(t *testing.T) {
	var c missCounter
	for i := range missesBeforeSkip {
		if c.SkipLook() {
			t.Fatalf("skip after %d misses = true; want false", i)
		}
		c.miss()
	}
	var looks []int
	for i := range 4 * mostSkipped {
		if !c.SkipLook() {
			looks = append(looks, missesBeforeSkip+1+i)
			c.miss()
		}
	}
	if want := []int{32, 64, 128, 256, 512, 1024, 2048, 3072, 4096}; !slices.Equal(looks, want) {
		t.Errorf("of the reads that miss, these look: %v; want %v", looks, want)
	}
	if n := c.misses.Load(); n > 2*mostSkipped {
		t.Errorf("the counter is at %d; want at most %d", n, 2*mostSkipped)
	}
	if c.hit(); c.SkipLook() {
		t.Error("skip after a hit = true; want false")
	}
}

// TestNeverLooks checks that a file that never looks does not begin to, whatever its reads find.
func TestNeverLooks(t *testing.T) {
	f := NewFile(-1, false, false)
	f.SetNeverLooks()
	for i := range 4 * mostSkipped {
		if !f.cacheMisses.SkipLook() {
			t.Fatalf("read %d looks", i)
		}
		f.cacheMisses.miss()
	}
	if f.Misses().Load() == 0 {
		t.Error("Misses = 0: internal/poll would look")
	}
}
