package sched

import "sync/atomic"

// streak counts a file's reads that found nothing in the page cache, one
// after the other. In a long streak most reads do not look: the driver looks
// anyway, and what looking costs is a tenth of a queued read.
type streak struct {
	misses atomic.Uint32
}

const (
	streakLong  = 16 // misses after which most reads skip the look
	streakProbe = 8  // in a long streak every eighth still looks
)

// skip tells whether a read is not to look in the page cache.
func (c *streak) skip() bool {
	return c.misses.Load() >= streakLong && c.misses.Add(1)%streakProbe != 0
}

// hit ends the streak.
func (c *streak) hit() {
	if c.misses.Load() != 0 {
		c.misses.Store(0)
	}
}

// miss lengthens it.
func (c *streak) miss() {
	if c.misses.Load() < streakLong {
		c.misses.Add(1)
	}
}
