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

// matrix compares sluice with os.File in many cells: each kind of I/O (cached, cold, direct and
// buffered reads; buffered, direct and synced writes) by size and number of goroutines. Without
// --full it measures quickCells.
//
// The target is a ratio of at least 1 in every cell. Single cells are misleading: a ratio's
// interval is a few percent wide, so that of many cells some fall below 1 by chance.
var matrix = Experiment{
	Name:    "matrix",
	Summary: "os.File against sluice: kinds of I/O x sizes x goroutines",
	Steps:   func(p Params) int { return len(p.cells()) },
	Run:     runMatrix,
	Read:    read[MatrixResult],
}

// matrixPlan keeps the quick cells under a minute. Many short rounds are better than few long
// ones: comparing os.File with itself on a busy machine with two cores, the ratio was off by 8 %
// on average with 5 slices of 200 ms for each side, by 6 % with 10 of 100 ms, and by 2 % with 20
// of 50 ms. Shorter slices gained nothing. A disturbance either lasts longer than a round and
// affects both sides, or hits one of many rounds.
var matrixPlan = duel.Plan{Time: 60 * time.Millisecond, Rounds: 16}

// MatrixResult is the result of the matrix, and of wal.
type MatrixResult struct {
	SliceTime time.Duration `json:"slice_time"`
	Rounds    int           `json:"rounds"`
	Cells     []Cell        `json:"cells"`
}

// Cell is the result of one cell. Its ratios are sluice's figure to that of os.File, medians over
// the rounds.
type Cell struct {
	load.Load
	Name        string         `json:"name"`
	Unsupported string         `json:"unsupported,omitempty"` // why there are no ratios
	Ratios      *Ratios        `json:"ratios,omitempty"`
	Sides       []*duel.Result `json:"sides"` // os.File, sluice
}

// Ratios are figures of sluice as multiples of those of os.File.
type Ratios struct {
	Rate stats.Number `json:"rate"` // operations a second
	CPU  stats.Number `json:"cpu"`  // processor time an operation
	P99  stats.Number `json:"p99"`  // 99th percentile of latency
	// Low and High are the 95 % interval of Rate (stats.Interval).
	Low  stats.Number `json:"rate_low"`
	High stats.Number `json:"rate_high"`
}

// BelowError reports the cells whose ratio is below --fail-below.
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
	if err := cmp.Or(err, env.stopped()); err != nil { // an interrupted run fails no cell
		return result, err
	}
	return result, result.failBelow(env.FailBelow)
}

// measureCells measures os.File and sluice in each cell, and prints the table under the
// experiment's name. If there is an error, the result has the cells before it.
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

// matrixSides returns os.File and sluice; os.File twice for --calibrate.
func (p Params) matrixSides() []load.Side {
	if p.Calibrate {
		return []load.Side{load.OSFile, load.OSFile}
	}
	return []load.Side{load.OSFile, load.Sluice(p.Driver)}
}

// rounds returns the number of rounds.
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

// ratios divides a figure of the second side by that of the first, round by round.
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
		ratioText(c.Ratios.Rate, c.rounds()), report.Ratio(c.Ratios.CPU), report.Ratio(c.Ratios.P99),
		fmt.Sprintf("%d/%d", c.Sides[0].Threads, c.Sides[1].Threads))...)
}
