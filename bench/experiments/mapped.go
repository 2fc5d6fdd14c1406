package experiments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// mappedFile measures package mapped: goroutines touch pages of a mapped file at random, without
// and after mapped.Mapping.Load. Cold: no page is in memory. The touching thread waits in the
// kernel, unknown to the Go runtime, so a goroutine that only sleeps wakes late; the table says how
// late. Hot: all pages are in memory, and the difference in processor time is Load's cost.
// os.File.ReadAt of the same pages shows whether mapping helps at all.
var mappedFile = raceExperiment{
	name:    "mapped",
	summary: "package mapped: touches of a mapped file, and who is late by them",
	races: func(p Params) []race {
		return []race{p.coldTouches(1), p.coldTouches(16), p.coldTouches(64), p.coldTouches(256), p.hotTouches()}
	},
}.experiment()

const (
	mmapRow   = "mmap"
	mappedRow = "sluice mapped"
)

// coldTouches returns the race over pages that are not in memory.
func (p Params) coldTouches(goroutines int) race {
	entries := []duel.Entry{
		entry(load.ReadCold, k4, goroutines, load.Side{Name: mmapRow, Way: load.ByMmap}),
		entry(load.ReadCold, k4, goroutines, p.sluiceBy(mappedRow, load.ByMapped)),
		entry(load.ReadCold, k4, goroutines, osFile("os.File, ReadAt")),
	}
	for i := range entries {
		entries[i].Load.Sleeper = true
	}
	return race{
		title:   fmt.Sprintf("pages that are not in memory, goroutines: %d", goroutines),
		entries: entries,
		checks:  []check{{mappedRow, mmapRow}},
	}
}

// touchSpan is the span of hot touches. The processor can hold page tables of this size.
const touchSpan = 8 << 20 // 8 MiB

// hotTouches returns the race over pages that are in memory.
func (p Params) hotTouches() race {
	return race{
		title: fmt.Sprintf("pages that are in memory, 1 goroutine, over %s", report.Bytes(min(touchSpan, p.FileSize))),
		entries: within(min(touchSpan, p.FileSize), []duel.Entry{
			entry(load.ReadHot, k4, 1, load.Side{Name: mmapRow, Way: load.ByMmap}),
			entry(load.ReadHot, k4, 1, p.sluiceBy(mappedRow, load.ByMapped)),
		}),
		checks: []check{{mappedRow, mmapRow}},
	}
}

// late returns a line for each side with a goroutine that only slept: how late it woke, as medians
// over the rounds and as the maximum.
func (r Race) late() string {
	var b strings.Builder
	for _, row := range r.Rows {
		if !row.Sleeper || len(row.Rounds) == 0 {
			continue
		}
		median := row.Series(func(s load.Slice) float64 { return float64(s.LateP50) })
		longest := row.Series(func(s load.Slice) float64 { return float64(s.LateMax) })
		b.WriteString(report.Wrap(fmt.Sprintf("%s: a goroutine that only sleeps wakes late by %s (median); the latest by %s in a round (median), by %s in all",
			row.Side.Name, lateness(stats.Median(median)), lateness(stats.Median(longest)), lateness(slices.Max(longest)))))
	}
	return b.String()
}

// lateness returns nanoseconds as a time, to a microsecond.
func lateness(ns stats.Number) time.Duration { return time.Duration(ns).Round(time.Microsecond) }
