// Package pace lets a worker choose between two ways to make its calls, by the results of earlier
// calls. CacheMisses counts misses of the page cache, and Hold watches how long files take.
//
// # Concurrency
//
// Each worker has its own CacheMisses and Hold.
package pace

import "github.com/sluiceio/sluice/copytree/internal/at"

// CacheMisses counts hits and misses of calls that cannot wait. Its zero value has none.
type CacheMisses struct {
	missed int // misses minus recent hits: 0 to ColdAt
	hits   int // hits since the last miss, up to HotAt
}

const (
	// ColdAt is the number of misses, minus hits, that make a tree cold. A few misses mean nothing:
	// even a recently copied tree lacks some inodes.
	ColdAt = 16
	// HotAt is the number of hits in a row that make a tree hot again.
	HotAt = 256
)

// Note counts the answer of a call.
func (m *CacheMisses) Note(c at.Cached) {
	switch c {
	case at.CacheHit:
		m.missed = max(0, m.missed-1)
		m.hits = min(HotAt, m.hits+1)
	case at.CacheMiss:
		m.missed = min(ColdAt, m.missed+1)
		m.hits = 0
	}
}

// Cold reports whether the page cache lacks the tree.
func (m *CacheMisses) Cold() bool { return m.missed >= ColdAt }

// Hot reports whether the last n calls were hits, for an n up to HotAt.
func (m *CacheMisses) Hot(n int) bool { return m.hits >= n }
