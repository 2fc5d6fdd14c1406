package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// glommio2020 is "Modern storage is plenty fast. It is the APIs that are bad".
const glommio2020 = "Costa 2020, Glommio"

// p4 are its nine settings.
var p4 = []Experiment{
	scanBuffered, scanDirect, scanDirectRA, scanDirectZC, scanDirect512k,
	randBufferedSmall, randDirectSmall, randBufferedWhole, randDirectWhole,
}

// The sizes of the publication follow from the memory of the machine: the file
// has 2.5 times as much, the small span is a tenth of it.
const (
	publishedFile = 2.5
	publishedSpan = 10
	// largestFile is the most that --full takes of the disk by itself.
	largestFile = 20 << 30 // 20 GiB
	// smallestPart is how much of the file the small span is at most: of a file
	// that is smaller than published, a tenth of the memory may be all.
	smallestPart = 4
)

// FullSize returns the size of the file that --full makes, of the bytes that
// are free for it.
func FullSize(memory, free int64) int64 {
	size := int64(publishedFile * float64(memory))
	return min(size, largestFile, free) >> 20 << 20 // whole MiB
}

// smallSpan returns the length of the part of the file that the small settings
// work on.
func (p Params) smallSpan() int64 {
	span := p.FileSize / smallestPart
	if p.Memory > 0 {
		span = min(span, p.Memory/publishedSpan)
	}
	return max(span>>20<<20, 1<<20)
}

// fileNote says what the file is next to the published one.
func (f *figure) fileNote(p Params) string {
	switch {
	case f == nil || p.Memory == 0:
		return ""
	case float64(p.FileSize) > publishedFile*float64(p.Memory)*0.99: // it is of whole MiB
		return fmt.Sprintf(" (%g x memory, as published)", publishedFile)
	case p.Full:
		return fmt.Sprintf(" (published: %g x memory)", publishedFile)
	}
	return fmt.Sprintf(" (published: %g x memory, --full)", publishedFile)
}

// The sides of the settings.
func osFile(name string) load.Side { return load.Side{Name: name, Way: load.ByOS} }

func (p Params) sluiceBy(name string, way load.Way) load.Side {
	return load.Side{Name: name, Way: way, Driver: p.Driver}
}

func entry(kind load.Kind, size, inFlight int, side load.Side) duel.Entry {
	return duel.Entry{Load: load.Load{Kind: kind, Size: size, Goroutines: inFlight}, Side: side}
}

// setting makes an experiment of one race.
func setting(name, summary string, r func(Params) race) Experiment {
	return racing{
		name: name, summary: summary, source: glommio2020, fio: true, fullSize: true,
		races: func(p Params) []race { return []race{r(p)} },
	}.experiment()
}
