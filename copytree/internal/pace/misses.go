// Package pace lets a worker choose between two ways to make its calls, by what
// earlier calls have met: CacheMisses counts what the page cache lacked, and Hold
// watches how long files take.
//
// # Concurrency
//
// Each worker has its own CacheMisses and Hold.
package pace

import "github.com/sluiceio/sluice/copytree/internal/at"

// CacheMisses counts how often a call that must not wait found what it asked for.
// The zero value has seen nothing.
type CacheMisses struct {
	missed int // misses less hits of late: 0 to ColdAt
	hits   int // hits since the last miss, up to HotAt
}

const (
	// ColdAt is how many misses, less the hits, make a tree cold. A few misses
	// mean nothing: a tree that was copied lately lacks some inodes, too.
	ColdAt = 16
	// HotAt is how many hits without a miss between make a tree hot again.
	HotAt = 256
)

// Note counts what a call has found.
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

// Cold reports whether the page cache lacks what is asked for.
func (m *CacheMisses) Cold() bool { return m.missed >= ColdAt }

// Hot reports whether the last n calls were hits, for an n up to HotAt.
func (m *CacheMisses) Hot(n int) bool { return m.hits >= n }
