package experiments

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// fairness measures small reads (the foreground) beside a flood of large reads. The sides are
// os.File, sluice without classes, and sluice with a class for each. Each side is measured alone
// and beside the flood, and the flood is measured alone; all use O_DIRECT.
//
// The targets are for a device that the flood can saturate. If the device keeps up with the flood,
// the foreground hardly waits and classes have little to gain.
var fairness = Experiment{
	Name:    "fair",
	Summary: "small reads beside a flood of large ones, with classes",
	Steps:   func(p Params) int { return 1 },
	Run:     runFair,
	Read:    read[FairResult],
}

const (
	fairSize       = 4 << 10 // 4 KiB
	fairGoroutines = 4
	floodReaders   = 8
)

var fairPlan = duel.Plan{Time: 400 * time.Millisecond, Rounds: 8}

// The targets.
const (
	fairSlower = 3    // p99 of the foreground beside the flood, as a multiple of its p99 alone
	fairOfOS   = 0.25 // the same p99, as a multiple of os.File's p99 beside the flood
	fairKept   = 0.7  // bandwidth of the flood alone in its class, as a part of it without classes
)

const (
	noClassesRow = "sluice, no classes"
	classesRow   = "sluice, classes"
)

// FairResult is the result of fair.
type FairResult struct {
	SliceTime time.Duration `json:"slice_time"`
	Rounds    int           `json:"rounds"`
	Verdicts  []string      `json:"verdicts"`
	Rows      []FairRow     `json:"rows"`
}

// FairRow is the result of one side, alone or beside the flood. If the flood is alone, the reads
// are the flood's.
type FairRow struct {
	Load  load.Load    `json:"load"`
	P50   stats.Number `json:"p50_ns"` // the figures are medians of the rounds
	P99   stats.Number `json:"p99_ns"`
	Rate  stats.Number `json:"rate"`          // reads a second
	Flood stats.Number `json:"flood_bytes_s"` // NaN without a flood
	*duel.Result
}

// Points returns each row.
func (r *FairResult) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		points = append(points, Point{row.cell(), row.Load, row.Result})
	}
	return points
}

// cell returns the name of the row's cell.
func (r FairRow) cell() string {
	switch {
	case r.Load.Size == load.FloodSize:
		return "the flood alone"
	case r.Load.Flood > 0:
		return "beside the flood"
	}
	return "alone"
}

// fairEntries returns the rows: each side alone and beside the flood, and the flood alone.
func (p Params) fairEntries() []duel.Entry {
	sluice := p.sluiceBy(noClassesRow, load.BySluice)
	foreground, background := p.sluiceBy(classesRow, load.BySluice), p.sluiceBy(classesRow, load.BySluice)
	foreground.Class, background.Class = load.Foreground, load.Background
	var entries []duel.Entry
	for _, side := range []load.Side{osFile("os.File"), sluice, foreground} {
		alone := entry(load.ReadDirect, fairSize, fairGoroutines, side)
		beside := alone
		beside.Load.Flood = floodReaders
		entries = append(entries, alone, beside)
	}
	for _, side := range []load.Side{osFile("os.File"), sluice, background} {
		entries = append(entries, entry(load.ReadDirect, load.FloodSize, floodReaders, side))
	}
	return entries
}

func runFair(ctx context.Context, env *Env) (any, error) {
	plan := env.plan(fairPlan)
	result := &FairResult{SliceTime: plan.Time, Rounds: plan.Rounds}
	if err := env.Screen.Print(result.head(env.Params)); err != nil {
		return result, err
	}
	entries := env.fairEntries()
	results, err := env.compareAll(ctx, "fair", entries, plan)
	if err != nil {
		return result, cmp.Or(env.stopped(), fmt.Errorf("fair: %w", err))
	}
	for i, e := range entries {
		result.Rows = append(result.Rows, newFairRow(e.Load, results[i]))
	}
	result.Verdicts = fairVerdicts(result.Rows)
	return result, env.Screen.Print(result.text())
}

func newFairRow(l load.Load, r *duel.Result) FairRow {
	row := FairRow{Load: l, Result: r, Flood: stats.NaN}
	row.P50 = stats.Median(r.Series(func(s load.Slice) float64 { return float64(s.P50) }))
	row.P99 = stats.Median(row.p99s())
	row.Rate = stats.Median(r.Series(load.Slice.Rate))
	if l.Flood > 0 || l.Size == load.FloodSize {
		row.Flood = stats.Median(row.floods())
	}
	return row
}

func (r FairRow) p99s() []stats.Number {
	return r.Series(func(s load.Slice) float64 { return float64(s.P99) })
}

// floods returns the flood's bytes a second in each round.
func (r FairRow) floods() []stats.Number {
	return r.Series(func(s load.Slice) float64 {
		if r.Load.Flood > 0 {
			return s.Flood
		}
		return s.Rate() * load.FloodSize
	})
}
