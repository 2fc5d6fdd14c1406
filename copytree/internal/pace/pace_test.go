package pace

import (
	"testing"

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
