package pictures

import (
	"fmt"
	"slices"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// matrixFigure has a panel for each kind and size: the ratio of operations a second, with its
// interval, by the number of goroutines.
func matrixFigure(r *experiments.MatrixResult) Figure {
	f := Figure{
		Title:    "os.File against sluice",
		Expected: "sluice performs at least as many operations a second as os.File in every cell (a ratio of 1.0 or more), and more where many goroutines wait for the device.",
		Seen:     []string{r.Seen()},
		Caption:  "Operations a second of sluice as a multiple of those of os.File; above the line at 1.0 sluice is ahead. " + plusMinus + " All panels have the same axes.",
		Table:    matrixTable(r),
	}
	p := Picture{
		Alt:   "Ratio of operations a second by goroutines, one panel for each kind of I/O and size.",
		Chart: chart.Figure{Height: 190},
	}
	sizes := sizesOf(r)
	axis := ratioAxis(r)
	for _, kind := range kindsOf(r) {
		var row []*chart.Panel
		for _, size := range sizes {
			row = append(row, matrixPanel(r, kind, size, axis))
		}
		if slices.ContainsFunc(row, func(p *chart.Panel) bool { return p != nil }) {
			p.Chart.Rows = append(p.Chart.Rows, row)
		}
	}
	if len(p.Chart.Rows) == 0 {
		p.Chart.Rows = [][]*chart.Panel{{{Title: "nothing could be measured"}}}
	}
	f.Pictures = []Picture{p}
	return f
}

// walFigure is the figure of wal, with its own expectation.
func walFigure(title string, r *experiments.MatrixResult) Figure {
	f := matrixFigure(r)
	f.Title = title
	f.Expected = "by 256 goroutines, at least 4 times the commits of os.File: goroutines that wait at the same time share an fsync."
	return f
}

// kindsOf returns the kinds in the order in which they were measured.
func kindsOf(r *experiments.MatrixResult) []load.Kind {
	var kinds []load.Kind
	for _, c := range r.Cells {
		if !slices.Contains(kinds, c.Kind) {
			kinds = append(kinds, c.Kind)
		}
	}
	return kinds
}

func sizesOf(r *experiments.MatrixResult) []int {
	var sizes []int
	for _, c := range r.Cells {
		if !slices.Contains(sizes, c.Size) {
			sizes = append(sizes, c.Size)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// ratioAxis shows all ratios of the figure. It is logarithmic, so that half as fast is as far from
// 1.0 as twice as fast.
func ratioAxis(r *experiments.MatrixResult) chart.Axis {
	a := chart.Axis{Name: "ratio of ops/s", Log: true, Min: 0.9, Max: 1.1, Format: plain}
	var ratios []interval
	for _, c := range r.Cells {
		if c.Ratios != nil {
			ratios = append(ratios, interval{float64(c.Ratios.Rate), float64(c.Ratios.Low), float64(c.Ratios.High)})
		}
	}
	fit(&a, ratios)
	a.Ticks = []float64{0.1, 0.25, 0.5, 0.7, 1, 1.5, 2, 4, 10, 30, 100}
	switch wide := a.Max / a.Min; {
	case wide < 2:
		a.Ticks = []float64{0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6}
	case wide > 8:
		a.Ticks = []float64{0.01, 0.1, 0.3, 1, 3, 10, 100}
	}
	return a
}

// matrixPanel returns the panel of a kind and size, or nil if there is no such cell. Each number of
// processors is a series.
func matrixPanel(r *experiments.MatrixResult, kind load.Kind, size int, ratio chart.Axis) *chart.Panel {
	p := &chart.Panel{
		Title:  fmt.Sprintf("%s, %s", kind, report.Bytes(int64(size))),
		X:      chart.Axis{Name: "goroutines", Log: true, Ticks: []float64{1, 4, 16, 64, 256}, Min: 1, Max: 256, Format: plain},
		Y:      ratio,
		Guide:  1,
		Spread: true,
	}
	all := procsOf(r)
	for i, procs := range all {
		s := chart.Series{Style: 1 + i, Line: true}
		switch {
		case procs > 0:
			s.Name = fmt.Sprintf("GOMAXPROCS %d", procs)
		case len(all) > 1:
			s.Name = "GOMAXPROCS as usual"
		}
		for _, c := range r.Cells {
			if c.Kind == kind && c.Size == size && c.Procs == procs && c.Ratios != nil {
				s.Points = append(s.Points, chart.Point{
					X: float64(c.Goroutines), Y: float64(c.Ratios.Rate),
					Low: float64(c.Ratios.Low), High: float64(c.Ratios.High),
				})
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	if len(p.Series) == 0 {
		return nil
	}
	return p
}

// procsOf returns the numbers of processors in the order of measurement; 0 means the processes'
// own.
func procsOf(r *experiments.MatrixResult) []int {
	var procs []int
	for _, c := range r.Cells {
		if !slices.Contains(procs, c.Procs) {
			procs = append(procs, c.Procs)
		}
	}
	return procs
}

func matrixTable(r *experiments.MatrixResult) Table {
	t := Table{Head: []string{"cell", "ops/s, ratio", "95 %", "verdict", "CPU an operation, ratio", "95 %", "p99 latency, ratio", "95 %"}}
	interval := func(low, high stats.Number) string {
		if high == 0 { // an old file without intervals of CPU and latency
			return missing
		}
		return report.Ratio(low) + "-" + report.Ratio(high)
	}
	for _, c := range r.Cells {
		if c.Ratios == nil {
			t.Rows = append(t.Rows, []string{c.Name, c.Unsupported})
			continue
		}
		r := c.Ratios
		t.Rows = append(t.Rows, []string{
			c.Name, report.Ratio(r.Rate), interval(r.Low, r.High), string(r.Verdict),
			report.Ratio(r.CPU), interval(r.CPULow, r.CPUHigh), report.Ratio(r.P99), interval(r.P99Low, r.P99High),
		})
	}
	return t
}
