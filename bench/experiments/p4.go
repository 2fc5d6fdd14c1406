package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// glommio2020 names "Modern storage is plenty fast. It is the APIs that are bad".
const glommio2020 = "Costa 2020, Glommio"

// p4 are the nine settings of the publication: scans (p4_scan.go) and random reads (p4_rand.go),
// buffered and with O_DIRECT. Each is a race of os.File and sluice; with --fio, fio repeats the
// published load. The publication had an Optane disk and a file 2.5 times as large as memory.
// Without --full the file is smaller, and the page cache is dropped before each slice. Rates depend
// on the device: compare the ratios to the buffered reads.
var p4 = []Experiment{
	scanBuffered, scanDirect, scanDirectRA, scanDirectZC, scanDirect512k,
	randBufferedSmall, randDirectSmall, randBufferedWhole, randDirectWhole,
}

const (
	publishedFile = 2.5      // the published file's size as a multiple of memory
	publishedSpan = 10       // the published small span is memory divided by this
	largestFile   = 20 << 30 // 20 GiB: the largest file of --full without --size
	// smallestPart limits the small span to the file divided by this. A tenth of memory may be
	// larger than a small file.
	smallestPart = 4
)

// FullSize returns the size of the file for --full, on a disk with free bytes left.
func FullSize(memory, free int64) int64 {
	size := int64(publishedFile * float64(memory))
	return min(size, largestFile, free) >> 20 << 20 // a whole number of MiB
}

// smallSpan returns the length of the span that the small settings read.
func (p Params) smallSpan() int64 {
	span := p.FileSize / smallestPart
	if p.Memory > 0 {
		span = min(span, p.Memory/publishedSpan)
	}
	return max(span>>20<<20, 1<<20)
}

// fileNote returns how the size of the file compares with the published one.
func (f *figure) fileNote(p Params) string {
	switch {
	case f == nil || p.Memory == 0:
		return ""
	case float64(p.FileSize) > publishedFile*float64(p.Memory)*0.99: // FullSize rounds down to MiB
		return fmt.Sprintf(" (%g x memory, as published)", publishedFile)
	case p.Full:
		return fmt.Sprintf(" (published: %g x memory)", publishedFile)
	}
	return fmt.Sprintf(" (published: %g x memory, --full)", publishedFile)
}

// osFile returns os.File as a side of that name.
func osFile(name string) load.Side { return load.Side{Name: name, Way: load.ByOS} }

// sluiceBy returns a side of sluice that reads in this way.
func (p Params) sluiceBy(name string, way load.Way) load.Side {
	return load.Side{Name: name, Way: way, Driver: p.Driver}
}

func entry(kind load.Kind, size, inFlight int, side load.Side) duel.Entry {
	return duel.Entry{Load: load.Load{Kind: kind, Size: size, Goroutines: inFlight}, Side: side}
}

// setting returns an experiment of one race.
func setting(name, summary string, r func(Params) race) Experiment {
	return raceExperiment{
		name: name, summary: summary, source: glommio2020, fio: true, fullSize: true,
		races: func(p Params) []race { return []race{r(p)} },
	}.experiment()
}
