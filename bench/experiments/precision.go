package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// precision is the rule by which a cell gets as many rounds as it needs. It ends when the 95 %
// interval of the median ratio is narrow (stats.Narrow), or when the cell's time is up.
type precision struct {
	limit time.Duration // the time of a cell, preparation included
}

// The rule is applied after leastRounds, and then after every fourth round. After each round, it
// would stop where the interval happens to be narrow: then 92 % of the intervals of the most
// variable cells would hold the true median. After every fourth round 94 to 96 % do
// (TestPrecisionHolds).
const (
	leastRounds = 12
	applyEvery  = 4
)

// enough reports whether the rounds with these ratios suffice. Rounds without a ratio do not count.
// A cell whose time is up still gets the rounds that a verdict needs, but at most leastRounds. If
// an operation takes longer than a slice, no round may have a ratio.
func (p precision) enough(ratios []stats.Number, spent time.Duration) bool {
	n := stats.Count(ratios)
	if spent >= p.limit {
		return n >= RoundsForVerdict || len(ratios) >= leastRounds
	}
	if n < leastRounds || (n-leastRounds)%applyEvery != 0 {
		return false
	}
	low, high := stats.Interval(ratios)
	return stats.Width(low, stats.Median(ratios), high) <= stats.Narrow
}

// Times of a cell and of its slices. Rounds are short: 50 ms of one process are as
// informative as a second, because the next process differs by more. A run that names no experiment
// must end in three minutes.
const (
	cellSlice = 50 * time.Millisecond
	cellTime  = 8 * time.Second
	briefTime = 4500 * time.Millisecond
)

// Goroutines that compute run for a time slice of the runtime, 10 ms, before other goroutines run.
// So cells with them (Kind.Busy) have longer slices and more time.
const (
	busySlices = 10
	busyTimes  = 3
)

// cellTimes returns the length of a slice of this kind, and the time of a cell. The time is 0 if
// the cell has a number of rounds instead.
func (p Params) cellTimes(kind load.Kind) (slice, limit time.Duration) {
	slice = cellSlice
	switch {
	case p.Rounds > 0:
	case p.PerCell > 0:
		limit = p.PerCell
	case p.Brief:
		limit = briefTime
	default:
		limit = cellTime
	}
	if kind.Busy() {
		slice *= busySlices
		limit *= busyTimes
	}
	if p.Time > 0 {
		slice = p.Time
	}
	return slice, limit
}

// cellPlan returns the plan of a cell of this kind. Under the label it shows the progress.
func (e *Env) cellPlan(label string, kind load.Kind) duel.Plan {
	slice, limit := e.cellTimes(kind)
	plan := duel.Plan{Time: slice, Rounds: e.Rounds}
	if limit == 0 {
		return plan
	}
	plan.Enough = func(results []*duel.Result, spent time.Duration) bool {
		if slices.ContainsFunc(results, func(r *duel.Result) bool { return r.Unsupported != "" }) {
			return true // there is nothing to compare
		}
		v := ratios(results, load.Slice.Rate)
		if n := stats.Count(v); n >= RoundsForVerdict {
			low, high := stats.Interval(v)
			middle := stats.Median(v)
			e.Screen.Step(fmt.Sprintf("%s: %d rounds, %s ±%s", label, n, report.Ratio(middle), report.Percent(stats.Width(low, middle, high))))
		}
		return precision{limit}.enough(v, spent)
	}
	return plan
}

// planText returns how long the cells are measured, for the line above their table.
func (p Params) planText(cells []load.Load) string {
	var usual, busy load.Kind // the first kind that is not busy, and the first that is, if any
	var all time.Duration
	for _, l := range cells {
		_, limit := p.cellTimes(l.Kind)
		all += limit
		if l.Kind.Busy() {
			busy = l.Kind
		} else {
			usual = l.Kind
		}
	}
	slice, limit := p.cellTimes(cmp.Or(usual, busy))
	text := fmt.Sprintf("%d rounds of %s, each of new processes", p.Rounds, slice)
	if limit > 0 {
		text = fmt.Sprintf("rounds of %s, each of new processes, until the 95 %% interval is within ±%s, at most %s a cell (%s in all)",
			slice, report.Percent(stats.Narrow), limit, durationText(all))
	}
	busySlice, busyLimit := p.cellTimes(busy)
	if usual == "" || busy == "" || busySlice == slice && busyLimit == limit {
		return text
	}
	text += fmt.Sprintf("; beside goroutines that compute rounds of %s", busySlice)
	if busyLimit > 0 {
		text += fmt.Sprintf(", at most %s a cell", busyLimit)
	}
	return text
}

// durationText returns d without zero units at its end: 5m, 1h30m. From a second on it has whole
// seconds.
func durationText(d time.Duration) string {
	if d < time.Second {
		return d.String()
	}
	text := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} { // 30s and 10m end with 0s and 0m, too
		if rest, ok := strings.CutSuffix(text, zero); ok {
			text = rest + zero[:1]
		}
	}
	return text
}
