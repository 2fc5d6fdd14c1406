package pictures

import (
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// fairFigure has a row with the p99 of each side, alone and beside the flood.
func fairFigure(title string, r *experiments.FairResult) Figure {
	f := Figure{
		Title:   title,
		Seen:    r.Verdicts,
		Caption: "Further to the left is quicker, logarithmic. " + plusMinus,
		Table:   Table{Head: []string{"side", "", "p99", "flood"}},
	}
	p := &chart.Panel{X: chart.Axis{Name: "p99 of a read, us", Log: true, Format: short}}
	points := chart.Series{Name: "p99", Style: 1}
	for i, point := range r.Points() {
		row := r.Rows[i]
		name := point.Side.Name + ", " + point.Cell
		if row.Unsupported != "" {
			f.Table.Rows = append(f.Table.Rows, []string{point.Side.Name, point.Cell, row.Unsupported, missing})
			continue
		}
		flood := missing
		if !row.Flood.IsNaN() {
			flood = report.Count(row.Flood/1e6) + " MB/s"
		}
		f.Table.Rows = append(f.Table.Rows, []string{point.Side.Name, point.Cell, report.Count(row.P99/1e3) + " us", flood})
		t := intervalOf(row, 1e-3, func(s load.Slice) float64 { return float64(s.P99) })
		points.Points = append(points.Points, chart.Point{X: t.value, Y: float64(len(p.Y.Names)), Low: t.low, High: t.high})
		p.Y.Names = append(p.Y.Names, name)
	}
	p.Series = []chart.Series{points}
	f.Pictures = []Picture{{
		Alt:   "The 99th percentile of the time of a read, one row for each side, alone and beside the flood.",
		Chart: chart.Figure{Height: float64(76 + 30*len(r.Rows)), Rows: [][]*chart.Panel{{p}}},
	}}
	return f
}
