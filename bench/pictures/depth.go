package pictures

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
)

// depthFigure has operations a second by the number in flight, with a line for each side.
func depthFigure(r *experiments.RaceResult) Figure {
	f := Figure{
		Title:    "random direct reads of 4 KiB by how many are in flight",
		Expected: "ReadMany keeps up with fio at every depth, and ReadBuffer, a goroutine an operation, with os.File.",
		Caption:  "Higher is faster. " + plusMinus,
		Table:    raceTable(r),
	}
	panel := &chart.Panel{
		Spread: true,
		X:      chart.Axis{Name: "operations in flight", Log: true, Format: plain},
		Y:      chart.Axis{Name: "operations/s", Format: short, Max: 1},
	}
	index := make(map[string]int)
	for _, race := range r.Races {
		if len(race.Rows) == 0 {
			continue
		}
		f.Seen = append(f.Seen, seen(fmt.Sprintf("%d in flight", race.Rows[0].Goroutines), race))
		panel.X.Ticks = append(panel.X.Ticks, float64(race.Rows[0].Goroutines))
		for _, row := range race.Rows {
			i, ok := index[row.Side.Name]
			if !ok {
				i = len(panel.Series)
				index[row.Side.Name] = i
				panel.Series = append(panel.Series, chart.Series{Name: row.Side.Name, Style: i, Line: true})
			}
			t := rateOf(row, 1)
			panel.Series[i].Points = append(panel.Series[i].Points,
				chart.Point{X: float64(row.Goroutines), Y: t.value, Low: t.low, High: t.high})
		}
	}
	f.Pictures = []Picture{{
		Alt:   "Operations a second by the number in flight, one line for each side.",
		Chart: chart.Figure{Height: 360, Rows: [][]*chart.Panel{{panel}}},
	}}
	return f
}
