package pictures

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/results"
)

// minSettings is the smallest number of settings for which a common figure helps.
const minSettings = 3

// settingsFigure has all settings of p4 that are compared with buffered reads. It shows ratios,
// which can be compared between machines. It returns false if the run has too few.
func settingsFigure(run *results.Run) (Figure, bool) {
	f := Figure{
		Name:     "p4",
		Title:    "the settings of the publication, as multiples of buffered reads",
		Expected: "direct reads with read-ahead or in large pieces are several times as fast as buffered ones, single small ones are not.",
		Caption:  "Rate of each setting as a multiple of that of buffered reads on the same machine, logarithmic. " + plusMinus + " The triangles are the published ratios.",
		Table:    Table{Head: []string{"setting", "published, ratio", "here, ratio", "95 %"}},
	}
	here, there := chart.Series{Name: "here", Style: 1}, chart.Series{Name: "published", Style: chart.Published}
	var names []string
	agree := 0
	for _, named := range run.Results {
		c, published, ok := toBuffered(named.Result)
		if !ok {
			continue
		}
		if agrees(c, published) {
			agree++
		}
		y := -float64(len(names))
		names = append(names, named.Name)
		here.Points = append(here.Points, chart.Point{X: c.value, Y: y, Low: c.low, High: c.high})
		there.Points = append(there.Points, chart.Point{X: published, Y: y, Low: published, High: published})
		f.Source, f.measured = named.Source, append(f.measured, named)
		f.Table.Rows = append(f.Table.Rows, []string{
			named.Name, report.Ratio(published), report.Ratio(c.value),
			report.Ratio(c.low) + " to " + report.Ratio(c.high),
		})
	}
	f.Seen = []string{fmt.Sprintf("of %d settings, %d are faster, or slower, than buffered reads as published, by more than noise explains (95 %%).", len(names), agree)}
	f.Pictures = []Picture{{
		Alt:   "Ratios to buffered reads, here and published, one row for each setting.",
		Chart: settingsChart(names, here, there),
	}}
	return f, len(names) >= minSettings
}

// agrees reports whether both are certainly faster than buffered reads, or both slower.
func agrees(c interval, published float64) bool {
	return (published > 1 && c.low > 1) || (published < 1 && c.high < 1)
}

// settingsChart draws the first setting on top.
func settingsChart(names []string, series ...chart.Series) chart.Figure {
	panel := &chart.Panel{
		X:      chart.Axis{Name: "times the rate of buffered reads", Log: true, Format: plain, Min: 0.9, Max: 1.1},
		Series: series,
		Guide:  1,
	}
	for i := range names {
		panel.Y.Names = append(panel.Y.Names, names[len(names)-1-i])
	}
	for _, s := range series {
		for i := range s.Points {
			s.Points[i].Y += float64(len(names) - 1)
		}
	}
	return chart.Figure{Height: float64(66 + 28*len(names)), Rows: [][]*chart.Panel{{panel}}}
}

// toBuffered returns the ratio of the published subject to the first row, as measured and as
// published. It returns false if the result has no such row.
func toBuffered(r experiments.Result) (here interval, published float64, ok bool) {
	races, ok := r.(*experiments.RaceResult)
	if !ok || len(races.Races) != 1 {
		return here, 0, false
	}
	race := races.Races[0]
	rate, base := race.PublishedRates()
	if base == 0 {
		return here, 0, false
	}
	for _, row := range race.Rows {
		if row.Side.Name != race.Subject() {
			continue
		}
		ratios := stats.Ratios(bytesPerSecond(row), bytesPerSecond(race.Rows[0]))
		low, high := stats.Interval(ratios)
		return interval{float64(stats.Median(ratios)), float64(low), float64(high)}, rate / base, true
	}
	return here, 0, false
}

func bytesPerSecond(row experiments.RaceRow) []stats.Number {
	return row.Series(func(s load.Slice) float64 { return s.Rate() * float64(row.Size) })
}
