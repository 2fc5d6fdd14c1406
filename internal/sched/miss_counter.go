package sched

import "sync/atomic"

// missCounter counts the reads of a file in a row that found nothing in the page cache. In a
// long streak of misses most reads skip the look. They lose little by that: the driver looks
// anyway, and the look costs a tenth of a queued read.
type missCounter struct {
	misses atomic.Uint32
}

const (
	streakLong  = 16 // misses after which most reads skip the look
	streakProbe = 8  // in a long streak one read in eight still looks
)

// skipLook reports whether a read should not look into the page cache.
func (c *missCounter) skipLook() bool {
	return c.misses.Load() >= streakLong && c.misses.Add(1)%streakProbe != 0
}

// hit ends the streak of misses.
func (c *missCounter) hit() {
	if c.misses.Load() != 0 {
		c.misses.Store(0)
	}
}

// miss lengthens the streak, up to streakLong.
func (c *missCounter) miss() {
	if c.misses.Load() < streakLong {
		c.misses.Add(1)
	}
}
