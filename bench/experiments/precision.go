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

// precision is the rule by which a cell gets as many rounds as it needs: until the 95 % interval
// of the median ratio is narrow (stats.Narrow), or the cell's time is up.
type precision struct {
	limit time.Duration // of a cell, with its preparation
}

// The rule is applied after leastRounds, and then after every fourth round. Applied after each
// round, it would stop where the interval happens to be narrow: the interval would then hold the
// true median in 92 % of the cells that vary most, and not in 95 %. Applied this way it holds it
// in 94 to 96 % (TestPrecisionHolds).
const (
	leastRounds = 12
	applyEvery  = 4
)

// enough reports whether the rounds with these ratios are enough. A cell whose time is up has the
// rounds that a verdict needs all the same.
func (p precision) enough(ratios []stats.Number, spent time.Duration) bool {
	n := len(ratios)
	if spent >= p.limit {
		return n >= RoundsForVerdict
	}
	if n < leastRounds || (n-leastRounds)%applyEvery != 0 {
		return false
	}
	low, high := stats.Interval(ratios)
	return stats.Width(low, stats.Median(ratios), high) <= stats.Narrow
}

// The time of a cell, and how long its slices are. Rounds are short, as 50 ms of one process say
// as much about it as a second: the next process differs by more. A run that names no experiment
// must end in three minutes.
const (
	cellSlice = 50 * time.Millisecond
	cellTime  = 8 * time.Second
	briefTime = 4500 * time.Millisecond
)

// cellLimit returns the time of a cell, 0 if it has a number of rounds instead.
func (p Params) cellLimit() time.Duration {
	switch {
	case p.Rounds > 0:
		return 0
	case p.PerCell > 0:
		return p.PerCell
	case p.Brief:
		return briefTime
	}
	return cellTime
}

// Goroutines that compute run for a time slice of the runtime, 10 ms, before others have their turn. So
// beside them (Kind.Busy) slices are longer, and cells have more time.
const (
	busySlices = 10
	busyTimes  = 3
)

// cellPlan returns the plan of a cell of this kind, which shows under the label how far it is.
func (e *Env) cellPlan(label string, kind load.Kind) duel.Plan {
	plan := duel.Plan{Time: cellSlice, Rounds: e.Rounds}
	limit := e.cellLimit()
	if kind.Busy() {
		plan.Time *= busySlices
		limit *= busyTimes
	}
	if e.Time > 0 {
		plan.Time = e.Time
	}
	if limit == 0 {
		return plan
	}
	plan.Enough = func(results []*duel.Result, spent time.Duration) bool {
		if slices.ContainsFunc(results, func(r *duel.Result) bool { return r.Unsupported != "" }) {
			return true // there is nothing to compare
		}
		v := ratios(results, load.Slice.Rate)
		if len(v) >= RoundsForVerdict {
			low, high := stats.Interval(v)
			middle := stats.Median(v)
			e.Screen.Step(fmt.Sprintf("%s: %d rounds, %s ±%s", label, len(v), report.Ratio(middle), report.Percent(stats.Width(low, middle, high))))
		}
		return precision{limit}.enough(v, spent)
	}
	return plan
}

// planText returns how long cells are measured, for the line above a table: so many cells, and busy
// ones.
func (p Params) planText(plan duel.Plan, cells, busy int) string {
	limit := p.cellLimit()
	if limit == 0 {
		return fmt.Sprintf("%d rounds of %s, each of new processes", plan.Rounds, plan.Time)
	}
	all := durationText(time.Duration(cells+busyTimes*busy) * limit)
	if busy > 0 && cells == 0 {
		plan.Time *= busySlices
		limit *= busyTimes
	}
	text := fmt.Sprintf("rounds of %s, each of new processes, until the 95 %% interval is within ±%s, at most %s a cell (%s in all)",
		plan.Time, report.Percent(stats.Narrow), limit, all)
	if busy > 0 && cells > 0 {
		text += fmt.Sprintf("; rounds of %s and at most %s beside goroutines that compute", busySlices*plan.Time, busyTimes*limit)
	}
	return text
}

// durationText returns d, from a second on in whole seconds, without zero units at its end: 5m, 1h30m.
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
