package groupcommit

import "testing"

// Early write-back counts large writes, and small ones that are far from the one before. Small ones
// near it, as in a log, are written together by the fsync.
func TestWrittenCountsWhatIsApart(t *testing.T) {
	const little = MuchWritten / 8
	type write struct {
		off int64
		n   int
	}
	for name, c := range map[string]struct {
		writes []write
		want   int64
	}{
		"an offset each, far apart":     {[]write{{10 * near, little}, {20 * near, little}, {0, little}}, 3 * little},
		"at the position":               {[]write{{-1, little}, {-1, little}}, 0},
		"a log":                         {[]write{{4 * near, little}, {4*near + little, little}, {4*near + 2*little, little}}, little},
		"a log, out of order":           {[]write{{4 * near, little}, {4*near - little, little}, {4*near + little, little}}, little},
		"exactly as far as counts":      {[]write{{near, little}, {2*near - 1, little}, {3*near - 1, little}}, 2 * little},
		"large, near and at the end":    {[]write{{0, MuchWritten}, {MuchWritten, MuchWritten}, {-1, MuchWritten}}, 3 * MuchWritten},
		"nothing was written, or fails": {[]write{{10 * near, 0}, {20 * near, -5}}, 0},
	} {
		var s Syncer
		for _, w := range c.writes {
			s.Written(w.off, w.n)
		}
		if n := s.unsynced.Load(); n != 0 {
			t.Errorf("%s: without concurrent Syncs %d bytes count", name, n)
		}
		s.Concurrent.Store(true)
		for _, w := range c.writes {
			s.Written(w.off, w.n)
		}
		if n := s.unsynced.Load(); n != c.want {
			t.Errorf("%s: %d bytes count; want %d", name, n, c.want)
		}
	}
}
