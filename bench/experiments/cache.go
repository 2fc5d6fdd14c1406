package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// blockCache measures package cache. Hits: one goroutine reads blocks that are all in memory, from
// the cache or by os.File. One span may fit the processor's cache, the other does not. Zipf:
// goroutines read a span larger than the cache, some blocks far more often than others, with and
// without the cache. Its gain depends on the cache's share of the span (a tenth) and the device's
// latency.
var blockCache = raceExperiment{
	name:    "cache",
	summary: "package cache: hits against the page cache, Zipf without it",
	races: func(p Params) []race {
		return []race{p.cacheHits(8 << 20), p.cacheHits(32 << 20), p.cacheSkewed(1), p.cacheSkewed(32)}
	},
}.experiment()

const (
	cacheBlock = 4 << 10 // 4 KiB
	// cacheBudget is the budget for the hits, which all fit, and the largest one for the Zipf load.
	cacheBudget = 64 << 20 // 64 MiB
	// smallestBudget is the step in which a cache allocates.
	smallestBudget = 2 << 20 // 2 MiB
	// cacheSpan is the span of the Zipf load, as a multiple of the budget.
	cacheSpan = 10
)

const (
	cacheRow   = "sluice cache"
	noCacheRow = "sluice, no cache"
	osCached   = "os.File, cached"
)

func (p Params) cacheSide(budget int64) load.Side {
	side := p.sluiceBy(cacheRow, load.ByCache)
	side.Budget = budget
	return side
}

// cacheHits returns the race of hits over span bytes.
func (p Params) cacheHits(span int64) race {
	span = min(span, p.FileSize)
	return race{
		title: fmt.Sprintf("hits of 4 KiB, 1 goroutine, over %s", report.Bytes(span)),
		entries: within(span, []duel.Entry{
			entry(load.ReadHot, cacheBlock, 1, osFile(osCached)),
			entry(load.ReadHot, cacheBlock, 1, p.cacheSide(cacheBudget)),
		}),
		checks: []check{{cacheRow, osCached}},
	}
}

// cacheSkewed returns the race of the Zipf load.
func (p Params) cacheSkewed(goroutines int) race {
	// a whole number of smallestBudget
	budget := max(smallestBudget, min(cacheBudget, p.FileSize/cacheSpan)>>21<<21)
	span := min(p.FileSize, cacheSpan*budget)
	return race{
		title: fmt.Sprintf("Zipf(0.99) of 4 KiB over %s, budget %s, in flight: %d",
			report.Bytes(span), report.Bytes(budget), goroutines),
		entries: within(span, []duel.Entry{
			entry(load.ReadSkewed, cacheBlock, goroutines, p.sluiceBy(noCacheRow, load.ByBuffer)),
			entry(load.ReadSkewed, cacheBlock, goroutines, p.cacheSide(budget)),
		}),
		checks: []check{{cacheRow, noCacheRow}},
	}
}
