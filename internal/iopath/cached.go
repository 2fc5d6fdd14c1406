package iopath

import (
	"cmp"
	"math"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// ReadCached is the cached path: it copies the bytes that the page cache has, perhaps fewer than
// len(b), or finds the end of the file (0). If the result is negative the caller must make the
// transfer on another path. -EAGAIN means a miss, or that ReadCached did not look.
func (p *Paths) ReadCached(f *File, b []byte, off int64) int32 {
	if !f.CanLook.Load() || f.cacheMisses.SkipLook() {
		return eagain
	}
	// Each function between the program and the kernel costs a cached read 1 or 2 %. So the system
	// call, and the work after a hit, are written out here.
	asked := p.Recording.Now()
	v := sys.CachedVec(b)
	res := sys.ResultOf(sys.ReadCachedInto(f.FD, &v, off))
	if res <= 0 {
		if res = p.lookElsewhere(f, b, off, res); res < 0 || !p.FindsEnd && res == 0 {
			// Without FindsEnd, 0 may also stand for pages that are being read. The plain call
			// meets an error again.
			p.notCached(asked, f, len(b), off, res)
			return cmp.Or(res, eagain)
		}
	}
	sys.RaceWrite(b[:res])
	f.cacheMisses.hit()
	p.Counters.Add(counters.Cached, driver.Read, res)
	if asked != 0 {
		p.recordCall(record.PathCached, asked, asked, driver.Read, f, len(b), off, res)
	}
	return res
}

// Peek is a look for b at off whose result is no operation's. It returns how many bytes the page
// cache has, 0 at or behind the end of the file, or a negative result. It uses b as scratch space.
func (p *Paths) Peek(f *File, b []byte, off int64) int32 {
	asked := p.Recording.Now()
	res := p.lookElsewhere(f, b, off, sys.ReadCached(f.FD, b, off))
	if res <= 0 {
		p.notCached(asked, f, len(b), off, res)
	}
	return res
}

// lookElsewhere returns the result of Look, if the system's look cannot tell.
func (p *Paths) lookElsewhere(f *File, b []byte, off int64, res int32) int32 {
	if p.Look != nil && res == eopnotsupp {
		if found, ok := p.Look(f.FD, b, off); ok {
			return found
		}
	}
	return res
}

// notCached notes and records a look for n bytes at off, begun at asked, that has found nothing.
func (p *Paths) notCached(asked int64, f *File, n int, off int64, res int32) {
	switch {
	case res == eagain:
		f.cacheMisses.miss()
	case res == eopnotsupp, res == enosys, res == einval && off >= 0 && off <= math.MaxInt64-int64(n):
		// This holds for this file alone: other files may be on other file systems. EINVAL may also
		// be the error for a too large offset, which says nothing about the file.
		f.CanLook.Store(false)
		f.cacheMisses.miss() // for ForeignFile.Misses, which is never 0 again
	}
	p.Recording.Call(asked, record.Call{Batch: 1, Res: res, Syscall: record.SysPreadv2})
}

// missCounter counts the reads of a file in a row that have not found their bytes in the page
// cache. After missesBeforeSkip misses most reads skip the look: on fast disks a look costs a few
// percent of a read, and io_uring looks anyway.
type missCounter struct {
	misses atomic.Uint32
}

const (
	// missesBeforeSkip is how many misses in a row there are before most reads skip the look.
	// Measured: docs/results/mechanisms.md.
	missesBeforeSkip = 16
	// mostSkipped is the most reads in a row that skip it. Chosen: a look costs a read a few
	// percent, and one in so many costs nothing.
	mostSkipped = 1024
	// neverLooks is the number of misses of a file whose reads never look.
	neverLooks = math.MaxUint32
)

// SetNeverLooks keeps reads of f from looking into the page cache, as though every look had missed.
// It must be called before the first operation.
func (f *File) SetNeverLooks() { f.cacheMisses.misses.Store(neverLooks) }

// SkipLook reports whether a read should not look into the page cache. After missesBeforeSkip
// misses, each look comes after twice as many reads as the one before, up to mostSkipped.
func (c *missCounter) SkipLook() bool {
	switch n := c.misses.Load(); {
	case n < missesBeforeSkip:
		return false
	case n == neverLooks:
		return true
	}
	n := c.misses.Add(1)
	if n == 2*mostSkipped {
		c.misses.Store(mostSkipped) // never comes to neverLooks
	}
	return n&(n-1) != 0 && n%mostSkipped != 0
}

func (c *missCounter) hit() {
	if c.misses.Load() != 0 {
		c.misses.Store(0)
	}
}

// miss counts a miss, up to missesBeforeSkip.
func (c *missCounter) miss() {
	if c.misses.Load() < missesBeforeSkip {
		c.misses.Add(1)
	}
}

// Note notes a look, if one miss is enough to skip the next looks.
func (c *missCounter) Note(hit bool) {
	switch {
	case hit:
		c.hit()
	case c.misses.Load() < missesBeforeSkip:
		c.misses.Store(missesBeforeSkip)
	}
}
