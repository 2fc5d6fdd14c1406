package experiments

import (
	"fmt"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// TransparentResult is the result of transparent.
type TransparentResult struct {
	SliceTime time.Duration `json:"slice_time"`
	// Rounds and CellTime mean the same as in MatrixResult.
	Rounds   int               `json:"rounds,omitempty"`
	CellTime time.Duration     `json:"cell_time,omitempty"`
	Cells    []TransparentCell `json:"cells"`
	Procs    int               `json:"gomaxprocs"` // of both builds
	Disk     string            `json:"disk,omitempty"`
	NoDisk   string            `json:"no_disk,omitempty"` // why there is no slow disk
	IOPS     int               `json:"iops"`
	Crowd    []ThreadsRow      `json:"crowd"` // go build, sluice build
}

// TransparentCell is the result of one cell. Its ratios are of sluice build's figures to go
// build's.
type TransparentCell struct {
	Cell
	Target float64 `json:"target"` // target of the ratio of operations a second
}

// Points returns each side of each cell, and each row of the slow disk.
func (r *TransparentResult) Points() []Point {
	var cells MatrixResult
	for _, c := range r.Cells {
		cells.Cells = append(cells.Cells, c.Cell)
	}
	return append(cells.Points(), (&ThreadsResult{Rows: r.Crowd}).Points()...)
}

// check returns an error for a cell that has a ratio but not two sides.
func (r *TransparentResult) check() error {
	for _, c := range r.Cells {
		if c.Ratios != nil && len(c.Sides) != 2 {
			return fmt.Errorf("%q has %d sides; want 2", c.Name, len(c.Sides))
		}
	}
	return nil
}

// transparentTable is 79 characters wide.
var transparentTable = report.Table{
	{Head: "operation", Width: 20},
	{Head: "go build\nops/s", Width: 8, Align: report.Right},
	{Head: "sluice\nops/s", Width: 6, Align: report.Right},
	{Head: "ops/s\nratio", Width: 5, Align: report.Right},
	{Head: "95 %", Width: 12, Align: report.Right},
	{Head: "CPU/op\nratio", Width: 6, Align: report.Right},
	{Head: "threads\ngo/sluice", Width: 9, Align: report.Right},
}

func (r *TransparentResult) head(plan string) string {
	return report.Wrap(fmt.Sprintf("%s: a program that uses only os.File, built by go build and by sluice build, in turn, %s; GOMAXPROCS %d",
		transparentName, plan, r.Procs)) + "\n" + transparentTable.Header()
}

func (c TransparentCell) text() string {
	if c.Ratios == nil {
		return report.Hang("", "  ", c.Name+": "+c.Unsupported)
	}
	median := func(side int) stats.Number { return stats.Median(c.Sides[side].Series(load.Slice.Rate)) }
	interval := report.Ratio(c.Ratios.Low) + " to " + report.Ratio(c.Ratios.High)
	if c.few() {
		interval = "-"
	}
	return transparentTable.Row(c.Name, report.Count(median(0)), report.Count(median(1)), ratioText(c.Ratios.Rate, c.Rounds()),
		interval, report.Ratio(c.Ratios.CPU),
		fmt.Sprintf("%d/%d", c.Sides[0].Threads, c.Sides[1].Threads))
}

func (r *TransparentResult) crowdHead() string {
	return "\n" + report.Wrap("goroutines that each read 4 KiB, all at once, on "+r.Disk) + "\n" + threadsTable.Header()
}

func (r *TransparentResult) notes() string {
	text := "\n" + FewNote(slices.ContainsFunc(r.Cells, func(c TransparentCell) bool { return c.Ratios != nil && c.few() }))
	for _, v := range r.Verdicts() {
		text += report.Wrap(v)
	}
	return text + "\n"
}

// Verdicts returns each target, and whether it was reached.
func (r *TransparentResult) Verdicts() []string {
	var verdicts []string
	for _, c := range r.Cells {
		if c.Ratios == nil {
			continue
		}
		verdict := reached(float64(c.Ratios.Rate) >= c.Target)
		if c.few() {
			verdict = "no verdict"
		}
		verdicts = append(verdicts, fmt.Sprintf("%s: %s has %s times go build's operations (%g at least)",
			verdict, c.Name, report.Ratio(c.Ratios.Rate), c.Target))
	}
	return append(verdicts, r.crowdVerdict())
}

func (r *TransparentResult) crowdVerdict() string {
	if r.NoDisk != "" {
		return "not measured: many goroutines on a slow disk; " + r.NoDisk
	}
	if len(r.Crowd) < 2 {
		return "not measured: many goroutines on a slow disk"
	}
	plain, ours := r.Crowd[0], r.Crowd[1]
	end := fmt.Sprintf("go build's program reads all with %d threads", plain.Threads)
	if plain.Died != "" {
		end = fmt.Sprintf("go build's program dies with %d threads (%s)", plain.Threads, plain.Died)
	}
	if ours.Died != "" {
		return fmt.Sprintf("missed: with %d goroutines %s, and sluice build's dies (%s)", ours.Load.Goroutines, end, ours.Died)
	}
	most, bound := MostThreads(r.Procs)
	return fmt.Sprintf("%s: with %d goroutines %s; sluice build's reads all with %d (%s)",
		reached(ours.Threads <= most), ours.Load.Goroutines, end, ours.Threads, bound)
}
