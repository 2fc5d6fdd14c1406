package pictures

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// transparentFigure has a row for each cell, with the ratio of sluice build to go build, and the
// target.
func transparentFigure(title string, r *experiments.TransparentResult) Figure {
	f := Figure{
		Title:    title,
		Expected: "operations in memory are as fast as before; direct reads by 64 goroutines gain a quarter; and with 12,000 goroutines on a slow disk, the program that go build made dies, and that of sluice build does not.",
		Seen:     r.Verdicts(),
		Caption:  "Further to the right is faster. " + plusMinus,
		Table:    transparentNumbers(r),
	}
	p := &chart.Panel{X: chart.Axis{Name: "operations a second, times those of go build", Log: true, Format: plain}}
	p.X.Min, p.X.Max = 0.9, 1.1
	points, targets := chart.Series{Name: "sluice build", Style: 1}, chart.Series{Name: "target", Style: 3}
	var ratios []interval
	for i := len(r.Cells) - 1; i >= 0; i-- { // the first cell on top
		c := r.Cells[i]
		if c.Ratios == nil {
			continue
		}
		y := float64(len(p.Y.Names))
		p.Y.Names = append(p.Y.Names, c.Name)
		at := interval{float64(c.Ratios.Rate), float64(c.Ratios.Low), float64(c.Ratios.High)}
		ratios = append(ratios, at, interval{c.Target, c.Target, c.Target})
		points.Points = append(points.Points, chart.Point{X: at.value, Y: y, Low: at.low, High: at.high})
		targets.Points = append(targets.Points, chart.Point{X: c.Target, Y: y, Low: c.Target, High: c.Target})
	}
	fit(&p.X, ratios)
	p.Series = []chart.Series{targets, points}
	if len(points.Points) == 0 {
		return f
	}
	f.Pictures = []Picture{{
		Alt:   "The ratio of operations a second, one row for each operation, and the target.",
		Chart: chart.Figure{Height: float64(66 + 32*len(p.Y.Names)), Rows: [][]*chart.Panel{{p}}},
	}}
	return f
}

func transparentNumbers(r *experiments.TransparentResult) Table {
	t := Table{Head: []string{"operation", "go build", "sluice build", "ratio", "CPU an operation, ratio", "threads, go build", "threads, sluice build"}}
	for _, c := range r.Cells {
		if c.Ratios == nil {
			t.Rows = append(t.Rows, []string{c.Name, c.Unsupported, missing, missing, missing, missing, missing})
			continue
		}
		rate := func(side int) string {
			return report.Count(stats.Median(c.Sides[side].Series(load.Slice.Rate))) + "/s"
		}
		t.Rows = append(t.Rows, []string{
			c.Name, rate(0), rate(1), report.Ratio(c.Ratios.Rate), report.Ratio(c.Ratios.CPU),
			fmt.Sprint(c.Sides[0].Threads), fmt.Sprint(c.Sides[1].Threads),
		})
	}
	return t
}
