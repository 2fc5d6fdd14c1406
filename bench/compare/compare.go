// Package compare finds the changes between two runs of sluice bench.
package compare

import (
	"errors"
	"slices"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/results"
)

// Verdict is the direction of a side's change.
type Verdict string

// The verdicts follow from the interval of the ratio, as in stats.Judge. Better: it is above 1.
// Worse: it is below 1. Level: it contains 1 and is narrow. Unclear: it is wide, or there are too
// few rounds.
const (
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Level   Verdict = "level"
	Unclear Verdict = "unclear"
)

// verdictOf has the Verdict for each verdict on a ratio.
var verdictOf = map[stats.Verdict]Verdict{stats.Ahead: Better, stats.Behind: Worse, stats.Level: Level, stats.Unclear: Unclear}

// Line is one side of one cell. A and B are its operations a second in both runs, medians of the
// rounds.
type Line struct {
	Cell      string
	Side      load.Side
	A, B      stats.Number
	Ratio     stats.Number // B / A
	Low, High stats.Number // 95 %; see stats.BootstrapRatio
	Rounds    int          // the smaller number of measured rounds of both runs
	Verdict   Verdict
}

// few reports whether there are too few rounds for an interval.
func (l Line) few() bool { return l.Rounds < experiments.RoundsForVerdict }

// Changes are the differences between two runs, cell by cell.
type Changes struct {
	A, B         *results.Run
	Lines        []Line   // in the order of A
	OnlyA, OnlyB []string // cells and sides in only one run
}

// errNothing is the error of two runs without a common cell.
var errNothing = errors.New("the two runs have no cell in common")

// Runs returns the changes from run a to run b.
func Runs(a, b *results.Run) (*Changes, error) {
	c := &Changes{A: a, B: b}
	before, after := measured(a), measured(b)
	for _, p := range before {
		if i := slices.IndexFunc(after, p.same); i >= 0 {
			c.Lines = append(c.Lines, newLine(p, after[i]))
		}
	}
	c.OnlyA, c.OnlyB = missing(before, after), missing(after, before)
	if len(c.Lines) == 0 {
		return nil, errNothing
	}
	return c, nil
}

// missing returns the names of cells, or of sides of a cell, that are in one list and not in the
// other.
func missing(of, others []point) []string {
	var names []string
	for _, p := range of {
		if slices.ContainsFunc(others, p.same) {
			continue
		}
		name := p.Cell
		if slices.ContainsFunc(others, func(q point) bool { return q.Cell == p.Cell }) {
			name = p.String()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// point is a Point of any experiment.
type point struct {
	experiments.Point
	n int // points of that name before it in its cell: --calibrate has two
}

func (p point) String() string { return p.Cell + ", " + p.Side.Name }

func (p point) same(q point) bool {
	return p.Cell == q.Cell && p.Side.Name == q.Side.Name && p.n == q.n
}

// measured returns all points of a run that have rounds.
func measured(r *results.Run) []point {
	var points []point
	seen := make(map[string]int)
	for _, named := range r.Results {
		for _, p := range named.Points() {
			p.Cell = named.Name + ": " + p.Cell
			if p.Unsupported != "" {
				continue
			}
			q := point{Point: p}
			q.n = seen[q.String()]
			seen[q.String()]++
			points = append(points, q)
		}
	}
	return points
}

func newLine(a, b point) Line {
	before, after := a.Series(load.Slice.RateIfMeasured), b.Series(load.Slice.RateIfMeasured)
	l := Line{Cell: a.Cell, Side: a.Side, A: stats.Median(before), B: stats.Median(after), Ratio: stats.NaN}
	if l.A > 0 {
		l.Ratio = l.B / l.A
	}
	l.Low, l.High = stats.BootstrapRatio(before, after)
	l.Rounds = min(stats.Count(before), stats.Count(after))
	l.Verdict = verdictOf[stats.Judge(l.Ratio, l.Low, l.High, l.Rounds)]
	return l
}
