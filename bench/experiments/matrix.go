package experiments

import (
	"cmp"
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

// matrix compares os.File with sluice over kinds, sizes and goroutines.
var matrix = Experiment{
	Name:    "matrix",
	Summary: "os.File against sluice: kinds of I/O x sizes x goroutines",
	Steps:   func(p Params) int { return len(p.cells()) },
	Run:     runMatrix,
	Read:    read[MatrixResult],
}

// matrixPlan keeps the quick cells under a minute. Of os.File against itself
// on a busy machine of two cores, 5 slices of 200 ms a side gave ratios that
// were 8 % off 1 on average, 10 of 100 ms 6 %, 20 of 50 ms 2 %, and shorter
// ones no less: what disturbs lasts longer than a round, or it hits one of
// many.
var matrixPlan = duel.Plan{Time: 60 * time.Millisecond, Rounds: 16}

// MatrixResult is what the matrix measured.
type MatrixResult struct {
	SliceTime time.Duration `json:"slice_time"`
	Rounds    int           `json:"rounds"`
	Cells     []Cell        `json:"cells"`
}

// Cell is one cell of the matrix. Ratios are sluice to os.File, medians over
// the rounds.
type Cell struct {
	load.Load
	Name        string         `json:"name"`
	Unsupported string         `json:"unsupported,omitempty"` // why there are no ratios
	Ratios      *Ratios        `json:"ratios,omitempty"`
	Sides       []*duel.Result `json:"sides"` // os.File, sluice
}

// Ratios compare sluice with os.File, which is 1.
type Ratios struct {
	Rate stats.Number `json:"rate"` // operations a second
	CPU  stats.Number `json:"cpu"`  // processor time an operation
	P99  stats.Number `json:"p99"`  // latency that 99 % stay under
	// Low and High bound the true rate ratio with a probability of 95 %, see
	// stats.Interval.
	Low  stats.Number `json:"rate_low"`
	High stats.Number `json:"rate_high"`
}

// BelowError reports cells that are slower than the user allows.
type BelowError struct {
	Limit float64
	Cells []Cell
}

// Error names the cells.
func (e *BelowError) Error() string {
	names := make([]string, len(e.Cells))
	for i, c := range e.Cells {
		names[i] = fmt.Sprintf("%s (%s)", c.Name, report.Ratio(c.Ratios.Rate))
	}
	return fmt.Sprintf("matrix: below %g: %s", e.Limit, strings.Join(names, ", "))
}

func runMatrix(ctx context.Context, env *Env) (any, error) {
	result, err := env.measureCells(ctx, "matrix", env.cells(), env.plan(matrixPlan))
	if err := cmp.Or(err, env.stopped()); err != nil { // of few rounds no cell is judged
		return result, err
	}
	return result, result.failBelow(env.FailBelow)
}

// measureCells measures both sides in each cell, for the experiment of that
// name, and prints the table. The result is that of the cells until an error.
func (e *Env) measureCells(ctx context.Context, name string, cells []load.Load, plan duel.Plan) (*MatrixResult, error) {
	result := &MatrixResult{SliceTime: plan.Time, Rounds: plan.Rounds}
	sides := e.matrixSides()
	if err := e.Screen.Print(matrixIntro(name, sides, plan) + matrixTable.Header()); err != nil {
		return result, err
	}
	for _, l := range cells {
		sideResults, err := e.compare(ctx, name, l, sides, plan)
		if err != nil {
			return result, err
		}
		cell := newCell(l, sideResults)
		result.Cells = append(result.Cells, cell)
		if err := e.Screen.Print(cell.row()); err != nil {
			return result, err
		}
	}
	return result, e.Screen.Print(result.summary())
}

// matrixSides returns the two sides of the matrix.
func (p Params) matrixSides() []load.Side {
	if p.Calibrate {
		return []load.Side{load.OSFile, load.OSFile}
	}
	return []load.Side{load.OSFile, load.Sluice(p.Driver)}
}

// rounds returns how many its ratios are of.
func (c Cell) rounds() int { return rounds(c.Sides) }

func newCell(l load.Load, sides []*duel.Result) Cell {
	c := Cell{Load: l, Name: l.String(), Sides: sides}
	for _, side := range sides {
		if side.Unsupported != "" {
			c.Unsupported = side.Side.Name + ": " + side.Unsupported
			return c
		}
	}
	rates := ratios(sides, load.Slice.Rate)
	low, high := stats.Interval(rates)
	c.Ratios = &Ratios{
		Rate: stats.Median(rates),
		Low:  low, High: high,
		CPU: stats.Median(ratios(sides, func(s load.Slice) float64 { return float64(s.CPUPerOp()) })),
		P99: stats.Median(ratios(sides, func(s load.Slice) float64 { return float64(s.P99) })),
	}
	return c
}

// ratios compares a figure of the second side with the first's, round by
// round.
func ratios(sides []*duel.Result, of func(load.Slice) float64) []stats.Number {
	return stats.Ratios(sides[1].Series(of), sides[0].Series(of))
}

var matrixTable = report.Table{
	{Head: "kind", Width: 14},
	{Head: "size", Width: 4, Align: report.Right},
	{Head: "goro-\nutines", Width: 6, Align: report.Right},
	{Head: "os.File\nops/s", Width: 7, Align: report.Right},
	{Head: "sluice\nops/s", Width: 6, Align: report.Right},
	{Head: "ops/s\nratio", Width: 5, Align: report.Right},
	{Head: "CPU/op\nratio", Width: 6, Align: report.Right},
	{Head: "p99\nratio", Width: 5, Align: report.Right},
	{Head: "threads\nos/sluice", Width: 9, Align: report.Right},
}

func matrixIntro(name string, sides []load.Side, p duel.Plan) string {
	against := sides[1].Name
	if sides[0] == sides[1] {
		against = "itself (what differs from 1.00 is noise)"
	}
	return report.Wrap(fmt.Sprintf("%s: %s against %s, in turn, %d rounds of %s", name, sides[0].Name, against, p.Rounds, p.Time)) + "\n"
}

func (c Cell) row() string {
	name := []string{string(c.Kind), load.SizeName(c.Size), strconv.Itoa(c.Goroutines)}
	if c.Ratios == nil {
		row := strings.TrimSuffix(matrixTable.Row(name...), "\n") + "  "
		return report.Hang(row, strings.Repeat(" ", len(row)), c.Unsupported)
	}
	median := func(side int) stats.Number { return stats.Median(c.Sides[side].Series(load.Slice.Rate)) }
	return matrixTable.Row(append(name,
		report.Count(median(0)), report.Count(median(1)),
		marked(c.Ratios.Rate, c.rounds()), report.Ratio(c.Ratios.CPU), report.Ratio(c.Ratios.P99),
		fmt.Sprintf("%d/%d", c.Sides[0].Threads, c.Sides[1].Threads))...)
}
