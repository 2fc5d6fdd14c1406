package pace

import (
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

func TestCacheMisses(t *testing.T) {
	var m CacheMisses
	note := func(n int, c at.Cached) {
		for range n {
			m.Note(c)
		}
	}
	note(ColdAt-1, at.CacheMiss)
	if m.Cold() {
		t.Errorf("Cold after %d misses", ColdAt-1)
	}
	note(1, at.CacheMiss)
	if !m.Cold() {
		t.Errorf("not Cold after %d misses", ColdAt)
	}
	note(1, at.CacheHit)
	note(1000, at.CacheUnknown)
	if m.Cold() || m.hits != 1 {
		t.Errorf("Cold = %t, %d hits after a hit; want false, 1", m.Cold(), m.hits)
	}
	note(HotAt, at.CacheHit)
	if m.hits != HotAt || !m.Hot(HotAt) {
		t.Errorf("%d hits; want %d", m.hits, HotAt)
	}
	note(1, at.CacheMiss)
	if m.hits != 0 || m.Hot(1) {
		t.Errorf("%d hits after a miss", m.hits)
	}
}

// TestHold sets the beginning of a file to long ago or to the future, so that no clock decides
// whether it was slow.
func TestHold(t *testing.T) {
	h := NewHold()
	file := func(slow bool) (held bool) {
		h.Begin()
		if held = h.Holds; held {
			h.begun = sinceStart() + time.Hour
			if slow {
				h.begun = sinceStart() - time.Hour
			}
		}
		h.End()
		return held
	}
	if !file(false) || !file(true) {
		t.Error("files for which nothing waits do not hold the P")
	}
	for range minPenalty {
		if file(false) {
			t.Fatal("a file holds the P soon after a slow one")
		}
	}
	if !file(true) {
		t.Error("no file holds the P ever again")
	}
	n := 0
	for ; !file(false); n++ {
	}
	if n != 2*minPenalty {
		t.Errorf("%d files do not hold the P after the second slow one; want %d", n, 2*minPenalty)
	}
	for range minPenalty {
		file(false)
	}
	if file(true); h.remaining != minPenalty {
		t.Errorf("%d files do not hold the P after a slow one that came late; want %d", h.remaining, minPenalty)
	}
	h.remaining = 0
	if h.Allow(false); file(false) {
		t.Error("a file holds the P that prefetchers need")
	}
}
