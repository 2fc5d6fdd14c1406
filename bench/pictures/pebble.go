package pictures

import (
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// pebbleFigure has a row for each side of each cell, with its ratio to Pebble's own files.
func pebbleFigure(title string, r *experiments.PebbleResult) Figure {
	f := Figure{
		Title:    title,
		Expected: "point reads by many goroutines gain, and those beside a compaction are slow less often; nothing is slower than with Pebble's own files.",
		Seen:     r.Verdicts(),
		Caption:  "Further to the right is faster. " + plusMinus,
		Table:    pebbleNumbers(r),
	}
	p := &chart.Panel{X: chart.Axis{Name: "operations a second, times those of Pebble's own files", Log: true, Format: plain}}
	p.X.Min, p.X.Max = 0.9, 1.1
	points := chart.Series{Name: "ratio", Style: 1}
	var ratios []interval
	for i := len(r.Cells) - 1; i >= 0; i-- { // the first cell on top
		c := r.Cells[i]
		for k := len(c.Sides) - 1; k > 0; k-- {
			s := c.Sides[k]
			if s.Ratio.IsNaN() {
				continue
			}
			y := float64(len(p.Y.Names))
			p.Y.Names = append(p.Y.Names, c.Name+", "+s.Side.Name)
			at := interval{float64(s.Ratio), float64(s.Low), float64(s.High)}
			ratios = append(ratios, at)
			points.Points = append(points.Points, chart.Point{X: at.value, Y: y, Low: at.low, High: at.high})
		}
	}
	if len(points.Points) == 0 {
		return f
	}
	fit(&p.X, ratios)
	p.Series = []chart.Series{points}
	f.Pictures = []Picture{{
		Alt:   "The ratio of operations a second to Pebble's own files, one row for each side of each load.",
		Chart: chart.Figure{Height: float64(66 + 26*len(p.Y.Names)), Rows: [][]*chart.Panel{{p}}},
	}}
	return f
}

func pebbleNumbers(r *experiments.PebbleResult) Table {
	t := Table{Head: []string{"load", "side", "rate", "ratio", "CPU an operation, ratio", "p99, ratio", "p99.9, ratio"}}
	for _, c := range r.Cells {
		for _, s := range c.Sides {
			if s.Unsupported != "" {
				t.Rows = append(t.Rows, []string{c.Name, s.Side.Name, s.Unsupported, missing, missing, missing, missing})
				continue
			}
			t.Rows = append(t.Rows, []string{
				c.Name, s.Side.Name, report.Count(stats.Median(s.Series(load.Slice.Rate))) + "/s",
				report.Ratio(s.Ratio), report.Ratio(s.CPU), report.Ratio(s.P99), report.Ratio(s.P999),
			})
		}
	}
	return t
}
