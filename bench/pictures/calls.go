package pictures

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// callFigure has the time of a call by its size, with a panel for each number of goroutines, as in
// the 2017 paper.
func callFigure(title string, r *experiments.CallResult) Figure {
	f := Figure{
		Title:    title,
		Expected: r.Finding,
		Caption: "Time for a call to return, both axes logarithmic; lower is faster. " + plusMinus +
			" The paper gives its figure without numbers, so its finding stands in words.",
		Table: callTable(r),
	}
	p := Picture{Alt: "Time a call against its size, one line for each side.", Chart: chart.Figure{Height: 340}}
	if r.Verdict != "" {
		f.Seen = []string{r.Verdict}
	}
	var row []*chart.Panel
	for _, goroutines := range goroutinesOf(r) {
		row = append(row, callPanel(r, goroutines))
	}
	const columns = 2
	for part := range slices.Chunk(row, columns) {
		for len(row) > columns && len(part) < columns {
			part = append(part[:len(part):len(part)], nil)
		}
		p.Chart.Rows = append(p.Chart.Rows, part)
	}
	f.Pictures = []Picture{p}
	return f
}

func goroutinesOf(r *experiments.CallResult) []int {
	var all []int
	for _, row := range r.Rows {
		if !slices.Contains(all, row.Goroutines) {
			all = append(all, row.Goroutines)
		}
	}
	return all
}

func callPanel(r *experiments.CallResult, goroutines int) *chart.Panel {
	p := &chart.Panel{
		Title:  fmt.Sprintf("goroutines: %d", goroutines),
		Spread: true,
		X:      chart.Axis{Name: "bytes a call", Log: true, Format: short},
		Y:      chart.Axis{Name: "time a call, µs", Log: true, Format: plain},
	}
	var times []interval
	for _, row := range r.Rows {
		if row.Goroutines != goroutines {
			continue
		}
		for i, c := range row.Calls {
			if i == len(p.Series) {
				p.Series = append(p.Series, chart.Series{Name: c.Side.Name, Style: i, Line: true})
			}
			t := intervalOf(c, 1e-3, func(s load.Slice) float64 { return float64(s.Mean) })
			times = append(times, t)
			p.Series[i].Points = append(p.Series[i].Points, chart.Point{X: float64(row.Size), Y: t.value, Low: t.low, High: t.high})
		}
	}
	fit(&p.Y, times)
	return p
}

func callTable(r *experiments.CallResult) Table {
	t := Table{Head: []string{"bytes", "goroutines", "side", "time, µs", "ratio to os.File", "95 %"}}
	for _, row := range r.Rows {
		for _, c := range row.Calls {
			cells := []string{strconv.Itoa(row.Size), strconv.Itoa(row.Goroutines), c.Side.Name}
			if c.Unsupported != "" {
				t.Rows = append(t.Rows, append(cells, c.Unsupported))
				continue
			}
			t.Rows = append(t.Rows, append(cells, report.Micros(time.Duration(c.Mean)),
				report.Ratio(c.Ratio), report.Ratio(c.Low)+" to "+report.Ratio(c.High)))
		}
	}
	return t
}
