package experiments

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/duel"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// matrix compares os.File with sluice over kinds, sizes and goroutines.
var matrix = Experiment{
	Name:    "matrix",
	Summary: "os.File against sluice: kinds of I/O x sizes x goroutines",
	Steps:   func(p Params) int { return len(p.cells()) },
	Run:     runMatrix,
}

// matrixPlan keeps the quick cells under a minute.
var matrixPlan = duel.Plan{Time: 100 * time.Millisecond, Rounds: 10}

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
	Rate   stats.Number `json:"rate"`   // operations a second
	CPU    stats.Number `json:"cpu"`    // processor time an operation
	P99    stats.Number `json:"p99"`    // latency that 99 % stay under
	Spread stats.Number `json:"spread"` // of the rounds' rate ratios, see stats.Spread
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
	return fmt.Sprintf("matrix: below %s: %s", report.Ratio(e.Limit), strings.Join(names, ", "))
}

func runMatrix(ctx context.Context, env *Env) (any, error) {
	plan := env.plan(matrixPlan)
	result := &MatrixResult{SliceTime: plan.Time, Rounds: plan.Rounds}
	sides := []load.Side{load.OSFile, load.Sluice(env.Driver)}
	if err := env.Screen.Print(matrixIntro(plan) + matrixTable.Header()); err != nil {
		return result, err
	}
	for _, l := range env.cells() {
		sideResults, err := env.compare(ctx, "matrix", l, sides, plan)
		if err != nil {
			return result, err
		}
		cell := newCell(l, sideResults)
		result.Cells = append(result.Cells, cell)
		if err := env.Screen.Print(cell.row()); err != nil {
			return result, err
		}
	}
	if err := env.Screen.Print(result.summary()); err != nil {
		return result, err
	}
	return result, result.failBelow(env.FailBelow)
}

func newCell(l load.Load, sides []*duel.Result) Cell {
	c := Cell{Load: l, Name: l.String(), Sides: sides}
	for _, side := range sides {
		if side.Unsupported != "" {
			c.Unsupported = side.Side.Name + ": " + side.Unsupported
			return c
		}
	}
	rates := ratios(sides, load.Slice.Rate)
	c.Ratios = &Ratios{
		Rate:   stats.Median(rates),
		CPU:    stats.Median(ratios(sides, func(s load.Slice) float64 { return float64(s.CPUPerOp()) })),
		P99:    stats.Median(ratios(sides, func(s load.Slice) float64 { return float64(s.P99) })),
		Spread: stats.Spread(rates),
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

func matrixIntro(p duel.Plan) string {
	return fmt.Sprintf("matrix: os.File against sluice, in turn, %d rounds of %s\n\n", p.Rounds, p.Time)
}

func (c Cell) row() string {
	name := []string{string(c.Kind), load.SizeName(c.Size), strconv.Itoa(c.Goroutines)}
	if c.Ratios == nil {
		return strings.TrimSuffix(matrixTable.Row(name...), "\n") + "  " + c.Unsupported + "\n"
	}
	median := func(side int) stats.Number { return stats.Median(c.Sides[side].Series(load.Slice.Rate)) }
	return matrixTable.Row(append(name,
		report.Count(median(0)), report.Count(median(1)),
		report.Ratio(c.Ratios.Rate), report.Ratio(c.Ratios.CPU), report.Ratio(c.Ratios.P99),
		fmt.Sprintf("%d/%d", c.Sides[0].Threads, c.Sides[1].Threads))...)
}
