package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// blockCache compares package cache with the page cache, and with none.
var blockCache = racing{
	name:    "cache",
	summary: "package cache: hits against the page cache, Zipf without it",
	races: func(p Params) []race {
		return []race{p.cacheHits(8 << 20), p.cacheHits(32 << 20), p.cacheSkewed(1), p.cacheSkewed(32)}
	},
}.experiment()

const (
	cacheBlock = 4 << 10 // 4 KiB
	// cacheBudget is what hits have, of which none has to leave, and the most
	// that the others take.
	cacheBudget = 64 << 20 // 64 MiB
	// smallestBudget is what a cache takes at once.
	smallestBudget = 2 << 20 // 2 MiB
	// cacheSpan is how many times the budget is read at random.
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

// cacheHits is one goroutine that reads what is in memory: span bytes, of which
// a processor's own cache may hold much, or little.
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

// cacheSkewed reads more than the cache holds, some of it far more often.
func (p Params) cacheSkewed(goroutines int) race {
	budget := max(smallestBudget, min(cacheBudget, p.FileSize/cacheSpan)>>21<<21) // whole steps of it
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
