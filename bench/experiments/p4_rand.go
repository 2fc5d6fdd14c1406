package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// The settings of random reads have 20 reads of 4 KiB in flight. "small" reads a span that fits the
// page cache. "whole" reads the whole file, which is not cached.
var (
	randBufferedSmall = setting("rand-buffered-small", "random reads of 4 KiB in the page cache, 20 in flight",
		func(p Params) race {
			return p.randBuffered("page cache", load.ReadCached, p.smallSpan(), "693,870 operations/s, over a tenth of the memory", 693_870)
		})
	randDirectSmall = setting("rand-direct-small", "random direct reads of 4 KiB in a small span, 20 in flight",
		func(p Params) race {
			return p.randDirect("page cache", load.ReadCached, p.smallSpan(), figure{
				text: "551,547 operations/s with 80 KiB of buffers, 0.79 times what the page cache gives",
				rate: 551_547, base: 693_870, near: true, buffers: 80 << 10,
			})
		})
	randBufferedWhole = setting("rand-buffered-whole", "random reads of 4 KiB over the whole file, not cached",
		func(p Params) race {
			return p.randBuffered("cold", load.ReadCold, 0, "237,858 operations/s, over 2.5 times the memory", 237_858)
		})
	randDirectWhole = setting("rand-direct-whole", "random direct reads of 4 KiB over the whole file",
		func(p Params) race {
			return p.randDirect("cold", load.ReadCold, 0, figure{
				text: "547,479 operations/s, 2.30 times the buffered reads, and as many as over a small span",
				rate: 547_479, base: 237_858,
			})
		})
)

const (
	randSize  = 4 << 10 // 4 KiB
	randDepth = 20
)

const (
	osBuffered = "os.File, buffered"
	osDirect   = "os.File, O_DIRECT"
	fileRow    = "sluice.File"
	bufferRow  = "sluice ReadBuffer"
	manyRow    = "sluice ReadMany"
	fioRow     = "fio"
	tunedRow   = "fio, tuned"
)

// within limits the entries to the first span bytes of the file.
func within(span int64, entries []duel.Entry) []duel.Entry {
	for i := range entries {
		entries[i].Load.Within = span
	}
	return entries
}

func (p Params) spanText(span int64) string {
	if span == 0 {
		return "over the whole file"
	}
	return "over " + report.Bytes(span)
}

// randBuffered returns a race of reads through the page cache.
func (p Params) randBuffered(state string, kind load.Kind, span int64, text string, rate float64) race {
	return race{
		title: fmt.Sprintf("random 4 KiB, %d in flight, %s, %s", randDepth, p.spanText(span), state),
		entries: within(span, []duel.Entry{
			entry(kind, randSize, randDepth, osFile(osBuffered)),
			entry(kind, randSize, randDepth, p.sluiceBy(fileRow, load.BySluice)),
		}),
		subject: fileRow,
		checks:  []check{{fileRow, osBuffered}, {fileRow, fioRow}},
		figure:  &figure{text: text, rate: rate},
	}
}

// randDirect returns a race of reads with O_DIRECT against reads through the page cache.
func (p Params) randDirect(state string, buffered load.Kind, span int64, f figure) race {
	return race{
		title: fmt.Sprintf("random 4 KiB, %d in flight, %s, O_DIRECT against %s", randDepth, p.spanText(span), state),
		entries: within(span, append([]duel.Entry{
			entry(buffered, randSize, randDepth, osFile(osBuffered)),
		}, p.directReaders(randDepth)...)),
		subject: bufferRow,
		checks:  directChecks,
		figure:  &f,
	}
}

// directReaders returns the entries of all sides that read at random with O_DIRECT.
func (p Params) directReaders(depth int) []duel.Entry {
	return []duel.Entry{
		entry(load.ReadDirect, randSize, depth, osFile(osDirect)),
		entry(load.ReadDirect, randSize, depth, p.sluiceBy(bufferRow, load.ByBuffer)),
		entry(load.ReadDirect, randSize, depth, p.sluiceBy(manyRow, load.ByMany)),
	}
}

var directChecks = []check{
	{bufferRow, osDirect},
	{bufferRow, fioRow},
	{bufferRow, tunedRow},
	{manyRow, fioRow},
	{manyRow, tunedRow},
}

// randDepths compares random direct reads at depths of 4 to 1024: os.File, ReadBuffer, ReadMany,
// and fio plain and tuned. It was not published. If the device saturates below a depth, sides
// differ only in CPU there.
var randDepths = raceExperiment{
	name:    "rand-depth",
	summary: "random direct reads of 4 KiB, 4 to 1024 in flight",
	fio:     true,
	races: func(p Params) []race {
		var races []race
		for _, depth := range []int{4, 8, 16, 32, 64, 128, 256, 1024} {
			races = append(races, race{
				title:   fmt.Sprintf("random 4 KiB, %d in flight, over the whole file, O_DIRECT", depth),
				entries: p.directReaders(depth),
				subject: bufferRow,
				tuned:   true,
				checks:  directChecks,
			})
		}
		return races
	},
}.experiment()
