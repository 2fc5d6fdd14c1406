package pictures

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// raceFigure has a panel for each race: the rate of each side, and the published rates.
func raceFigure(title string, r *experiments.RaceResult) Figure {
	f := Figure{
		Title:    title,
		Expected: expected(r),
		Caption:  "Further to the right is faster. " + plusMinus,
		Table:    raceTable(r),
	}
	p := Picture{Alt: "Rates of the sides that read the same bytes, one row for each side."}
	rows := 0
	for _, race := range r.Races {
		if len(race.Rows) == 0 {
			continue
		}
		rows = max(rows, len(race.Rows))
		f.Seen = append(f.Seen, seen(race.Title, race))
		p.Chart.Rows = append(p.Chart.Rows, []*chart.Panel{racePanel(race)})
		if rate, _ := race.PublishedRates(); rate > 0 {
			f.Caption += " The triangles are what the publication had on its own machine."
		}
	}
	p.Chart.Height = float64(76 + 26*rows)
	f.Pictures = []Picture{p}
	return f
}

// expected returns the published finding, or package cache's purpose.
func expected(r *experiments.RaceResult) string {
	for _, race := range r.Races {
		if race.Published != "" {
			return race.Published
		}
	}
	return "A hit in the cache costs less than a read from the page cache, which is a system call; " +
		"if some blocks are read far more often than others, the cache saves most reads of the device."
}

// seen returns the finding of a race, or without one its name and verdicts.
func seen(name string, race experiments.Race) string {
	if race.Finding != "" {
		return race.Finding
	}
	var parts []string
	for _, v := range race.Verdicts {
		if v.Rate.Ratio.IsNaN() {
			continue
		}
		part := fmt.Sprintf("%s to %s %s", v.Entry, v.To, report.Ratio(v.Rate.Ratio))
		if v.Rate.Verdict != "" {
			part += " (" + string(v.Rate.Verdict) + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return name + ": nothing to compare."
	}
	return name + ": " + strings.Join(parts, ", ") + "."
}

func racePanel(race experiments.Race) *chart.Panel {
	unit, axis := rateAxis(race)
	p := &chart.Panel{Title: race.Title, X: axis}
	here := chart.Series{Name: "here", Style: 1}
	for i, row := range race.Rows {
		y := float64(len(race.Rows) - 1 - i) // the first row on top
		p.Y.Names = append([]string{row.Side.Name}, p.Y.Names...)
		t := rateOf(row, unit)
		here.Points = append(here.Points, chart.Point{X: t.value, Y: y, Low: t.low, High: t.high})
	}
	p.Series = []chart.Series{here}
	if points := publishedPoints(race, unit); len(points) > 0 {
		p.Series = append(p.Series, chart.Series{Name: "published", Style: chart.Published, Points: points})
	}
	return p
}

// rateAxis returns the axis of rates, which starts at 0, and its unit: GB/s for scans.
func rateAxis(race experiments.Race) (unit float64, axis chart.Axis) {
	axis = chart.Axis{Name: "operations/s", Format: short, Max: 1}
	if race.Rows[0].Kind.Scan() {
		axis.Name, axis.Format = "GB/s", plain
		return 1e-9, axis
	}
	return 1, axis
}

func rateOf(row experiments.RaceRow, unit float64) interval {
	if row.Kind.Scan() {
		unit *= float64(row.Size)
	}
	return intervalOf(row, unit, load.Slice.Rate)
}

// publishedPoints returns the published rates of the subject and of the first row.
func publishedPoints(race experiments.Race, unit float64) []chart.Point {
	rate, base := race.PublishedRates()
	var points []chart.Point
	for i, row := range race.Rows {
		y := float64(len(race.Rows) - 1 - i)
		switch v := rate * unit; {
		case i == 0 && base > 0:
			v = base * unit
			points = append(points, chart.Point{X: v, Y: y, Low: v, High: v})
		case rate > 0 && row.Side.Name == race.Subject():
			points = append(points, chart.Point{X: v, Y: y, Low: v, High: v})
		}
	}
	return points
}

func raceTable(r *experiments.RaceResult) Table {
	t := Table{Head: []string{"race", "side", "rate", "ratio to the first", "CPU, µs", "peak of buffers", "memory over idle"}}
	for _, race := range r.Races {
		for _, row := range race.Rows {
			cells := []string{race.Title, row.Side.Name}
			if row.Unsupported != "" {
				t.Rows = append(t.Rows, append(cells, row.Unsupported))
				continue
			}
			t.Rows = append(t.Rows, append(cells, rateText(row), report.Ratio(row.Ratio), cpuText(row),
				bytesText(row.Buffers), bytesText(row.Resident)))
		}
	}
	return t
}

func rateText(row experiments.RaceRow) string {
	if row.Kind.Scan() {
		return report.Count(row.Rate/1e6) + " MB/s"
	}
	return report.Count(row.Rate) + " ops/s"
}

func cpuText(row experiments.RaceRow) string {
	of := " an op"
	if row.Kind.Scan() {
		of = " a MiB"
	}
	if row.CPU.IsNaN() {
		return missing
	}
	return report.Micros(time.Duration(row.CPU)) + of
}

func bytesText(n int64) string {
	if n == 0 {
		return missing
	}
	return report.Bytes(n)
}
