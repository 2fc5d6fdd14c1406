package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// matrix compares sluice with os.File in many cells: each kind of I/O (cells.go) by size, number of
// goroutines and GOMAXPROCS. Without --full it measures quickCells.
//
// The target is that no cell is behind. By chance, one level cell in twenty has an interval without
// 1.
var matrix = Experiment{
	Name:    "matrix",
	Summary: "os.File against sluice: kinds of I/O x sizes x goroutines",
	Precise: true,
	Cells:   func(Params) []load.Load { return allCells() },
	Steps:   func(p Params) int { return len(p.cells()) },
	Run:     runMatrix,
	Read:    read[MatrixResult],
}

// MatrixResult is the result of the matrix, and of wal.
type MatrixResult struct {
	// SliceTime and CellTime are for cells that are not busy.
	SliceTime time.Duration `json:"slice_time"`
	// Rounds is for each cell; 0 means as many as the cell needs.
	Rounds int `json:"rounds,omitempty"`
	// CellTime is the time for a cell that gets as many rounds as it needs.
	CellTime time.Duration `json:"cell_time,omitempty"`
	Cells    []Cell        `json:"cells"`
}

// Cell is the result of one cell. Its ratios are of sluice's figure to os.File's, medians over the
// rounds.
type Cell struct {
	load.Load
	Name        string         `json:"name"`
	Unsupported string         `json:"unsupported,omitempty"` // the reason if there are no ratios
	Ratios      *Ratios        `json:"ratios,omitempty"`
	Sides       []*duel.Result `json:"sides"` // os.File, sluice
}

// Ratios are sluice's figures as multiples of os.File's, with 95 % intervals (stats.Interval).
type Ratios struct {
	Rate    stats.Number  `json:"rate"` // operations a second
	Low     stats.Number  `json:"rate_low"`
	High    stats.Number  `json:"rate_high"`
	CPU     stats.Number  `json:"cpu"` // processor time an operation
	CPULow  stats.Number  `json:"cpu_low"`
	CPUHigh stats.Number  `json:"cpu_high"`
	P99     stats.Number  `json:"p99"` // 99th percentile of latency
	P99Low  stats.Number  `json:"p99_low"`
	P99High stats.Number  `json:"p99_high"`
	Verdict stats.Verdict `json:"verdict,omitempty"` // on Rate
	// Computed is the computation a second of the goroutines beside a busy kind; nil for others.
	Computed *Interval `json:"computed,omitempty"`
}

// Interval is a median with its 95 % interval (stats.Interval).
type Interval struct {
	Ratio stats.Number `json:"ratio"`
	Low   stats.Number `json:"low"`
	High  stats.Number `json:"high"`
}

// interval returns the interval of Rate for a table.
func (r *Ratios) interval() string { return report.Ratio(r.Low) + "-" + report.Ratio(r.High) }

// BelowError reports the cells whose ratio is below --fail-below.
type BelowError struct {
	Limit float64
	Cells []Cell
}

// Error names the cells.
func (e *BelowError) Error() string {
	return fmt.Sprintf("matrix: below %g: %s", e.Limit, withRatios(e.Cells))
}

// withRatios returns the names of the cells with their ratios and intervals.
func withRatios(cells []Cell) string {
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = fmt.Sprintf("%s %s (%s)", c.Name, report.Ratio(c.Ratios.Rate), c.Ratios.interval())
	}
	return strings.Join(names, ", ")
}

func runMatrix(ctx context.Context, env *Env) (_ any, err error) {
	cells := env.cells()
	if slices.ContainsFunc(cells, func(l load.Load) bool { return l.Kind == load.Start }) {
		env.Screen.Step("matrix: building the programs of start")
		remove, failed := env.Lab.Starters(ctx)
		if failed != nil {
			return &MatrixResult{}, fmt.Errorf("matrix: start: %w", failed)
		}
		defer func() { err = errors.Join(err, remove()) }() // after a panic too
	}
	result, err := env.measureCells(ctx, "matrix", cells)
	if err := cmp.Or(err, env.stopped()); err != nil { // an interrupted run fails no cell
		return result, err
	}
	return result, result.failBelow(env.FailBelow)
}

// measureCells measures os.File and sluice in each cell, and prints the table under the
// experiment's name. On an error, the result has the cells before it.
func (e *Env) measureCells(ctx context.Context, name string, cells []load.Load) (*MatrixResult, error) {
	return e.measureCellsOn(ctx, name, cells, func(context.Context, load.Load) (comparer, error) { return e.Lab, nil })
}

// measureCellsOn is measureCells for cells that are not all on the temporary file.
func (e *Env) measureCellsOn(ctx context.Context, name string, cells []load.Load, on place) (*MatrixResult, error) {
	result := &MatrixResult{Rounds: e.Rounds}
	result.SliceTime, result.CellTime = e.cellTimes("")
	sides := e.matrixSides()
	if err := e.Screen.Print(matrixIntro(name, sides, e.planText(cells)) + matrixTable.Header()); err != nil {
		return result, err
	}
	procs := 0
	for _, l := range cells {
		if l.Procs != procs {
			procs = l.Procs
			if err := e.Screen.Print(e.procsText(procs)); err != nil {
				return result, err
			}
		}
		c, err := on(ctx, l)
		if err != nil {
			return result, err
		}
		sideResults, err := e.compareCell(ctx, c, name+" "+l.String(), l, sides)
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

// compareCell measures one load through two sides, in as many rounds as it needs. It is one step.
func (e *Env) compareCell(ctx context.Context, on comparer, label string, l load.Load, sides []load.Side) ([]*duel.Result, error) {
	return e.compareOn(ctx, on, label, duel.Same(l, sides), e.cellPlan(label, l.Kind))
}

// matrixSides returns os.File and sluice, or os.File twice for --calibrate.
func (p Params) matrixSides() []load.Side {
	if p.Calibrate {
		return []load.Side{load.OSFile, load.OSFile}
	}
	return []load.Side{load.OSFile, load.Sluice(p.Driver)}
}

// Rounds returns the number of rounds with a ratio of operations a second. A round has no ratio if
// os.File completed nothing. The cell must have Ratios.
func (c Cell) Rounds() int { return stats.Count(ratios(c.Sides, load.Slice.Rate)) }

// few reports whether a cell has fewer rounds than a verdict needs. The cell must have Ratios.
func (c Cell) few() bool { return c.Rounds() < RoundsForVerdict }

func newCell(l load.Load, sides []*duel.Result) Cell {
	c := Cell{Load: l, Name: l.String(), Sides: sides}
	for _, side := range sides {
		if side.Unsupported != "" {
			c.Unsupported = side.Side.Name + ": " + side.Unsupported
			return c
		}
	}
	c.Ratios = newRatios(sides)
	return c
}

func newRatios(sides []*duel.Result) *Ratios {
	of := func(figure func(load.Slice) float64) (middle, low, high stats.Number) {
		v := ratios(sides, figure)
		low, high = stats.Interval(v)
		return stats.Median(v), low, high
	}
	r := &Ratios{}
	r.Rate, r.Low, r.High = of(load.Slice.Rate)
	r.CPU, r.CPULow, r.CPUHigh = of(func(s load.Slice) float64 { return float64(s.CPUPerOp()) })
	r.P99, r.P99Low, r.P99High = of(func(s load.Slice) float64 { return float64(s.P99) })
	if v := ratios(sides, func(s load.Slice) float64 { return s.Computed }); stats.Count(v) > 0 {
		r.Computed = new(Interval)
		r.Computed.Ratio, r.Computed.Low, r.Computed.High = of(func(s load.Slice) float64 { return s.Computed })
	}
	r.Verdict = stats.Judge(r.Rate, r.Low, r.High, stats.Count(ratios(sides, load.Slice.Rate)))
	return r
}

// ratios divides a figure of the second side by the first side's, round by round.
func ratios(sides []*duel.Result, of func(load.Slice) float64) []stats.Number {
	return stats.Ratios(sides[1].Series(of), sides[0].Series(of))
}

// matrixTable is 80 characters wide.
var matrixTable = report.Table{
	{Head: "cell", Width: 22},
	{Head: "os\nops/s", Width: 5, Align: report.Right},
	{Head: "ratio", Width: 5, Align: report.Right},
	{Head: "95 %", Width: 10, Align: report.Right},
	{Head: "", Width: 7},
	{Head: "CPU\nratio", Width: 5, Align: report.Right},
	{Head: "p99\nratio", Width: 5, Align: report.Right},
	{Head: "threads\nos/slu.", Width: 7, Align: report.Right},
}

func matrixIntro(name string, sides []load.Side, plan string) string {
	against := sides[1].Name
	if sides[0] == sides[1] {
		against = "itself (what differs from 1.00 is noise)"
	}
	return report.Wrap(fmt.Sprintf("%s: %s against %s, in turn, %s", name, sides[0].Name, against, plan)) + "\n"
}

// procsText returns the line above the cells with this number of processors.
func (p Params) procsText(procs int) string {
	text := fmt.Sprintf("GOMAXPROCS %d", procs)
	switch {
	case procs > p.CPUs && p.CPUs == 1:
		text += ": oversubscribed, this machine has 1 processor"
	case procs > p.CPUs:
		text += fmt.Sprintf(": oversubscribed, this machine has %d processors", p.CPUs)
	}
	return "\n" + report.Wrap(text)
}

// row returns the cell's row of the table. The number of processors is in a line above.
func (c Cell) row() string {
	l := c.Load
	l.Procs = 0
	name := l.String()
	if c.Ratios == nil {
		row := strings.TrimSuffix(matrixTable[:1].Row(name), "\n") + "  "
		return report.Hang(row, strings.Repeat(" ", len(row)), c.Unsupported)
	}
	interval := c.Ratios.interval()
	if c.few() {
		interval = "-"
	}
	threads := "-"
	if os, sluice := c.Sides[0].Threads, c.Sides[1].Threads; os+sluice > 0 {
		threads = fmt.Sprintf("%d/%d", os, sluice)
	}
	row := matrixTable.Row(name,
		report.Count(stats.Median(c.Sides[0].Series(load.Slice.Rate))),
		report.Ratio(c.Ratios.Rate), interval, string(c.Ratios.Verdict),
		report.Ratio(c.Ratios.CPU), report.Ratio(c.Ratios.P99),
		threads)
	if beside := c.Ratios.Computed; beside != nil {
		row += matrixTable[:4].Row("  beside it, computed", "", report.Ratio(beside.Ratio),
			report.Ratio(beside.Low)+"-"+report.Ratio(beside.High))
	}
	return row
}
