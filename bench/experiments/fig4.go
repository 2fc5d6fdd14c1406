package experiments

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// attempt2017 names "An Attempt at Reducing Costs of Disk I/O in Go".
const attempt2017 = "Wilson, Mutschlechner 2017"

// fig4Read and fig4Write repeat figure 4: the time in which ReadAt and WriteAt return on a buffered
// file, by two goroutines, for requests of 1,000 to 1,000,000 bytes. Reads are cached, so the time
// is the call's and the copy's.
var (
	fig4Read = callFigure{
		name:    "fig4-read",
		summary: "time for a read to return: os.File, the drivers, 2017 AIO",
		source:  attempt2017 + ", figure 4",
		title:   "time for ReadAt to return; 2 goroutines, buffered file, cached",
		finding: fig4Finding,
		loads:   fig4Loads(load.ReadCached),
		verdict: fig4Verdict,
	}.experiment()

	fig4Write = callFigure{
		name:    "fig4-write",
		summary: "time for a write to return: os.File, the drivers, 2017 AIO",
		source:  attempt2017 + ", figure 4",
		title:   "time for WriteAt to return; 2 goroutines, buffered file",
		finding: fig4Finding,
		loads:   fig4Loads(load.WriteBuffered),
		verdict: fig4Verdict,
	}.experiment()
)

const fig4Finding = "on a buffered file AIO is much slower than blocking calls for small requests, " +
	"the two meet as requests grow, and AIO is never a gain."

// fig4Sizes are the sizes of the paper.
var fig4Sizes = []int{1_000, 10_000, 100_000, 1_000_000}

func fig4Loads(kind load.Kind) func(Params) []load.Load {
	return func(Params) []load.Load {
		loads := make([]load.Load, len(fig4Sizes))
		for i, size := range fig4Sizes {
			loads[i] = load.Load{Kind: kind, Size: size, Goroutines: 2}
		}
		return loads
	}
}

// The words of the finding as ratios of AIO's time to os.File's.
const (
	muchSlower = 1.5  // "much slower" for small requests; if lower, the finding holds less sharply
	slower     = 1.05 // still "slower" for small requests
	meets      = 1.15 // "the two meet" for large requests
	gain       = 1.0  // if lower, AIO is a gain
)

// fig4Verdict returns whether the finding holds for AIO as the paper used it, and the ratios of
// sluice.
func fig4Verdict(rows []CallRow) string {
	small, large := rows[0].at(load.ByPaper, ""), rows[len(rows)-1].at(load.ByPaper, "")
	if small.Ratio.IsNaN() || large.Ratio.IsNaN() {
		return "undecided without Linux AIO; " + fig4Sluice(rows)
	}
	return fmt.Sprintf("%s: AIO takes %s times os.File's time at %d bytes, %s at %d; %s",
		fig4Holds(rows, small, large), report.Ratio(small.Ratio), rows[0].Size,
		report.Ratio(large.Ratio), rows[len(rows)-1].Size, fig4Sluice(rows))
}

// fig4Holds returns whether the finding holds, or else the part that fails. A part fails only if
// the interval's bound shows it: noise must not decide.
func fig4Holds(rows []CallRow, small, large Call) string {
	var not []string
	if small.Low < slower {
		not = append(not, "small requests are no slower")
	}
	if large.Ratio > meets {
		not = append(not, "the two do not meet")
	}
	for _, r := range rows {
		if r.at(load.ByPaper, "").High < gain {
			not = append(not, fmt.Sprintf("at %d bytes it is a gain", r.Size))
		}
	}
	switch {
	case len(not) > 0:
		return "it does not hold (" + strings.Join(not, ", ") + ")"
	case small.Ratio < muchSlower:
		return "it still holds, if less sharply"
	}
	return "it still holds"
}

// fig4Sluice returns the ratio of each driver of sluice for the smallest and the largest
// requests.
func fig4Sluice(rows []CallRow) string {
	var parts []string
	for _, c := range rows[0].Calls {
		if c.Side.Way != load.BySluice || c.Unsupported != "" {
			continue
		}
		last := rows[len(rows)-1].at(load.BySluice, c.Side.Driver)
		parts = append(parts, fmt.Sprintf("%s %s and %s", c.Side.Driver, report.Ratio(c.Ratio), report.Ratio(last.Ratio)))
	}
	if len(parts) == 0 {
		return "sluice has no driver here."
	}
	return "sluice on " + strings.Join(parts, ", ") + "."
}
