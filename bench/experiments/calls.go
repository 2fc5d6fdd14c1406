package experiments

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// callFigure is an experiment on the time that one call takes, as in the 2017 paper. Its table has
// a row for each load. The columns are os.File, sluice on each driver, and Linux AIO as the paper
// used it (load.PaperAIO).
//
// A call may return before its data is on disk: a buffered write does.
type callFigure struct {
	name    string
	summary string
	source  string
	title   string // the line above the table
	finding string // the conclusion of the publication
	loads   func(Params) []load.Load
	verdict func([]CallRow) string // returns a line: whether the finding holds here
}

// callPlan has short slices because a round has one of each of five sides.
var callPlan = duel.Plan{Time: 30 * time.Millisecond, Rounds: 8}

// callSides are the columns of the table.
var callSides = []load.Side{
	load.OSFile, load.Sluice("uring"), load.Sluice("aio"), load.Sluice("pool"), load.PaperAIO,
}

// CallResult is the result of a callFigure.
type CallResult struct {
	Source  string    `json:"source"`
	Finding string    `json:"finding"`
	Verdict string    `json:"verdict"`
	Rows    []CallRow `json:"rows"`
}

// CallRow is the result of one load.
type CallRow struct {
	load.Load
	Calls []Call `json:"calls"` // in the order of callSides
}

// Call is the time that a call of one side takes.
type Call struct {
	Mean  stats.Number `json:"mean_ns"` // the median of the rounds; null if the side is unsupported
	Ratio stats.Number `json:"ratio"`   // ratio to os.File's time; the median of the rounds
	Low   stats.Number `json:"ratio_low"`
	High  stats.Number `json:"ratio_high"` // the interval is Low to High (stats.Interval)
	*duel.Result
}

func (c Call) means() []stats.Number {
	return c.Series(func(s load.Slice) float64 { return float64(s.Mean) })
}

// RoundsWith returns the number of rounds in which calls of both sides returned, and which have a
// ratio.
func (c Call) RoundsWith(other Call) int { return stats.Count(stats.Ratios(c.means(), other.means())) }

// at returns the call of the side with that way and driver.
func (r CallRow) at(way load.Way, driver string) Call {
	for _, c := range r.Calls {
		if c.Side.Way == way && c.Side.Driver == driver {
			return c
		}
	}
	return Call{Mean: stats.NaN, Ratio: stats.NaN, Low: stats.NaN, High: stats.NaN}
}

// experiment returns the figure as an Experiment.
func (f callFigure) experiment() Experiment {
	return Experiment{
		Name: f.name, Summary: f.summary, Source: f.source,
		Steps: func(p Params) int { return len(f.loads(p)) },
		Run:   f.run,
		Read:  read[CallResult],
	}
}

func (f callFigure) run(ctx context.Context, env *Env) (any, error) {
	plan := env.plan(callPlan)
	result := &CallResult{Source: f.source, Finding: f.finding}
	if err := env.Screen.Print(report.Wrap(f.name+": "+f.title) + "\n" + callTable.Header()); err != nil {
		return result, err
	}
	for _, l := range f.loads(env.Params) {
		sides, err := env.compare(ctx, f.name, l, callSides, plan)
		if err != nil {
			return result, err
		}
		row := newCallRow(l, sides)
		result.Rows = append(result.Rows, row)
		if err := env.Screen.Print(row.row()); err != nil {
			return result, err
		}
	}
	result.Verdict = f.verdict(result.Rows)
	if n := result.rounds(); tooFew(n) {
		result.Verdict = noVerdict(n)
	}
	return result, env.Screen.Print(result.notes())
}

func newCallRow(l load.Load, sides []*duel.Result) CallRow {
	mean := func(s load.Slice) float64 { return float64(s.Mean) }
	row := CallRow{Load: l}
	for _, side := range sides {
		ratios := stats.Ratios(side.Series(mean), sides[0].Series(mean))
		c := Call{Mean: stats.Median(side.Series(mean)), Ratio: stats.Median(ratios), Result: side}
		c.Low, c.High = stats.Interval(ratios)
		row.Calls = append(row.Calls, c)
	}
	return row
}

// callTable has the time of os.File's call. For each other side it has the time and the ratio to
// os.File.
var callTable = report.Table{
	{Head: "bytes", Width: 7, Align: report.Right},
	{Head: "goro-\nutines", Width: 6, Align: report.Right},
	{Head: "os.File\nus", Width: 7, Align: report.Right},
	{Head: "sluice/uring\nus (ratio)", Width: 12, Align: report.Right},
	{Head: "sluice/aio\nus (ratio)", Width: 12, Align: report.Right},
	{Head: "sluice/pool\nus (ratio)", Width: 12, Align: report.Right},
	{Head: "2017 AIO\nus (ratio)", Width: 12, Align: report.Right},
}

func (r CallRow) row() string {
	cells := []string{strconv.Itoa(r.Size), strconv.Itoa(r.Goroutines)}
	for i, c := range r.Calls {
		switch {
		case c.Unsupported != "":
			cells = append(cells, "n/a")
		case i == 0:
			cells = append(cells, report.Micros(time.Duration(c.Mean)))
		default:
			cells = append(cells, fmt.Sprintf("%s (%s)", report.Micros(time.Duration(c.Mean)), ratioText(c.Ratio, c.RoundsWith(r.Calls[0]))))
		}
	}
	return callTable.Row(cells...)
}

// rounds returns the number of rounds that have a ratio.
func (r *CallResult) rounds() (n int) {
	for _, row := range r.Rows {
		for _, c := range row.Calls {
			n = max(n, c.RoundsWith(row.Calls[0]))
		}
	}
	return n
}

// notes returns the lines under the table: which sides are missing and why, what was published,
// and whether it holds here.
func (r *CallResult) notes() string {
	var b strings.Builder
	b.WriteString("\n" + FewNote(tooFew(r.rounds())))
	if len(r.Rows) > 0 {
		for _, c := range r.Rows[0].Calls {
			if c.Unsupported != "" {
				b.WriteString(report.Wrap(c.Side.Name + " is not available here: " + c.Unsupported))
			}
		}
	}
	b.WriteString(report.Wrap("published (" + r.Source + "): " + r.Finding))
	b.WriteString(report.Wrap("here: " + r.Verdict))
	b.WriteString("\n")
	return b.String()
}
