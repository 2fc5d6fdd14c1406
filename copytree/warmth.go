package copytree

import "github.com/sluiceio/sluice/copytree/internal/at"

// warmth is what a worker or scout has seen of the caches: how often a call
// that must not wait has found what it asked for.
type warmth struct {
	missed int // more of the last calls than not: up to coldAt
	hits   int // without a miss between, up to hotAt
}

const (
	// coldAt is how many misses, less the hits, make a tree cold. A few are
	// nothing: a tree that was copied from lately lacks some inodes, too.
	coldAt = 16
	// hotAt is how many files that are all there make it hot again.
	hotAt = 256
)

func (w *warmth) note(c at.Cached) {
	switch c {
	case at.CacheHit:
		w.missed = max(0, w.missed-1)
		w.hits = min(hotAt, w.hits+1)
	case at.CacheMiss:
		w.missed = min(coldAt, w.missed+1)
		w.hits = 0
	}
}

func (w *warmth) cold() bool { return w.missed >= coldAt }

// noteCache notes what a worker has seen, and calls the scouts if they are
// needed.
func (w *worker) noteCache(c at.Cached) {
	w.warmth.note(c)
	if c != at.CacheMiss || !w.warmth.cold() {
		return
	}
	w.queue.setCold(true)
	if w.crew != nil {
		w.crew.goAhead()
	}
}
