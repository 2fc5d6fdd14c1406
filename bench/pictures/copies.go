package pictures

import (
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// decades is the ratio of the largest to the smallest value from which an axis is logarithmic.
const decades = 10

// copyFigure has a panel for each mode, with the bytes that each program moves in a second.
func copyFigure(title string, r *experiments.CopyResult) Figure {
	f := Figure{
		Title:    title,
		Expected: "a concurrent copy is faster than cp -r the more there is to wait for.",
		Caption:  "Bytes read and written a second, directories counted as a block each; further to the right is faster; logarithmic where one is more than ten times another. " + plusMinus,
		Table:    copyTable(r),
	}
	var c chart.Figure
	rows, published := 0, false
	for i, m := range r.Modes {
		if i == 0 && m.Published != "" {
			f.Expected = m.Published
		}
		rows = max(rows, len(m.Rows))
		f.Seen = append(f.Seen, copySeen(m))
		published = published || m.PublishedBase > 0
		c.Rows = append(c.Rows, []*chart.Panel{copyPanel(r, m)})
	}
	if published {
		f.Caption += " The triangle is what the publication had with cp -r on its own machine."
	}
	c.Height = float64(76 + 24*rows)
	f.Pictures = []Picture{{Alt: "Rates of the programs that copy, one row for each program.", Chart: c}}
	return f
}

// copySeen returns the finding of a mode. For an unpublished mode it returns sluice's comparison
// with the first row.
func copySeen(m experiments.CopyMode) string {
	if m.Finding != "" {
		return m.Name + ": " + m.Finding
	}
	for _, row := range m.Rows {
		if row.Side.Way == load.ByCopy && !row.Speed.Ratio.IsNaN() {
			return fmt.Sprintf("%s: %s is %s times as fast as %s", m.Name, row.Side.Name, report.Ratio(row.Speed.Ratio), m.Rows[0].Side.Name)
		}
	}
	return m.Name + ": nothing to compare."
}

func copyPanel(r *experiments.CopyResult, m experiments.CopyMode) *chart.Panel {
	p := &chart.Panel{Title: m.Name + ": " + m.Title, X: chart.Axis{Name: "MB/s", Format: short}}
	here := chart.Series{Name: "here", Style: 1, Lengths: true}
	var rates []interval
	for i, row := range m.Rows {
		y := float64(len(m.Rows) - 1 - i) // the first row on top
		p.Y.Names = append([]string{row.Side.Name}, p.Y.Names...)
		t := intervalOf(row, float64(m.Moved())/float64(m.Sum.Files)/1e6, load.Slice.Rate)
		rates = append(rates, t)
		here.Points = append(here.Points, chart.Point{X: t.value, Y: y, Low: t.low, High: t.high})
	}
	p.Series = []chart.Series{here}
	if base := m.PublishedBase; base > 0 {
		v := 2 * float64(r.Published.OnDisk()) / base / 1e6
		rates = append(rates, interval{v, v, v})
		p.Series = append(p.Series, chart.Series{
			Name: "published", Style: chart.Published,
			Points: []chart.Point{{X: v, Y: float64(len(m.Rows) - 1), Low: v, High: v}},
		})
	}
	fit(&p.X, rates)
	if p.X.Log = p.X.Min > 0 && p.X.Max > decades*p.X.Min; !p.X.Log {
		p.X.Min = 0
	}
	return p
}

func copyTable(r *experiments.CopyResult) Table {
	t := Table{Head: []string{
		"mode", "program", "mean, s", "deviation, s", "min, s", "max, s", "speed to the first", "95 %", "CPU, s", "CPU to the first",
		"memory", "threads",
	}}
	for _, m := range r.Modes {
		for _, row := range m.Rows {
			cells := []string{m.Name, row.Side.Name}
			if row.Unsupported != "" {
				t.Rows = append(t.Rows, append(cells, row.Unsupported))
				continue
			}
			t.Rows = append(t.Rows, append(cells, secondsText(row.Mean), secondsText(row.Deviation), secondsText(row.Min), secondsText(row.Max),
				report.Ratio(row.Speed.Ratio), report.Ratio(row.Speed.Low)+" to "+report.Ratio(row.Speed.High),
				secondsText(row.CPU), report.Ratio(row.CPURatio), bytesText(row.Resident), fmt.Sprint(row.Threads)))
		}
	}
	return t
}

func secondsText(n stats.Number) string {
	if n.IsNaN() {
		return missing
	}
	return time.Duration(float64(n) * float64(time.Second)).Round(time.Millisecond).String()
}
