package pictures

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// aioFigure has a picture that compares schedulers and engines, beside the published figures. It
// then has the published picture of each I/O scheduler.
func aioFigure(title string, r *experiments.AIOResult) Figure {
	f := Figure{
		Title:    fmt.Sprintf("%s: %d of %d bytes, on %s", title, r.Writes, r.Disk.Size, r.Disk.What),
		Expected: r.Finding,
		Caption: plusMinus + " Triangles are published figures; for the first write of a batch they mark both ends of 30 to 60 ms. " +
			"The picture of a scheduler shows the round with the median time: above, when each write was queued and when its completion was seen; below, the time between.",
		Table: aioNumbers(r),
		Data: []Data{
			{What: "all rounds", text: func() ([]byte, error) { return burstRounds(r) }},
			{Name: "writes", What: "each write of the bursts that are drawn", text: func() ([]byte, error) { return burstWrites(r) }},
		},
	}
	if r.Verdict != "" {
		f.Seen = []string{r.Verdict}
	}
	f.Pictures = append(f.Pictures, aioOverview(r))
	for _, scheduler := range schedulers(r) {
		if p, ok := burstPicture(r, scheduler); ok {
			f.Pictures = append(f.Pictures, p)
		}
	}
	return f
}

// aioOverview has a row for each scheduler and engine, and marks the published figures.
func aioOverview(r *experiments.AIOResult) Picture {
	const high, low = experiments.PublishedFirstHigh, experiments.PublishedFirstLow
	of := func(name string, unit float64, figure func(experiments.AIOFigures) stats.Number, published ...float64) *chart.Panel {
		return aioPanel(r, chart.Axis{Name: name, Log: true, Format: short}, unit, figure, published)
	}
	rows := [][]*chart.Panel{
		{
			of("writes a batch, median", 1, func(f experiments.AIOFigures) stats.Number { return f.Batch }, experiments.PublishedBatch),
			of("first write of a batch, ms", 1e-6, func(f experiments.AIOFigures) stats.Number { return f.First }, low.Seconds()*1e3, high.Seconds()*1e3),
		},
		{
			of("longest submit call, µs", 1e-3, func(f experiments.AIOFigures) stats.Number { return f.Longest }),
			of("all writes, ms", 1e-6, func(f experiments.AIOFigures) stats.Number { return f.All }),
		},
	}
	return Picture{
		Title: "Each I/O scheduler and engine.",
		Alt:   "Writes a batch, latency of the first of a batch, longest submit call and the time of all writes; one row for each scheduler and engine.",
		Chart: chart.Figure{Height: float64(84 + 20*len(r.Rows)), Rows: rows},
	}
}

func aioPanel(r *experiments.AIOResult, axis chart.Axis, unit float64, of func(experiments.AIOFigures) stats.Number, published []float64) *chart.Panel {
	p := &chart.Panel{X: axis}
	here := chart.Series{Name: "here", Style: 1}
	there := chart.Series{Name: "published", Style: chart.Published}
	for i, row := range r.Rows {
		y := float64(len(r.Rows) - 1 - i) // the first row on top
		p.Y.Names = append([]string{experiments.SchedulerName(row.Scheduler) + ", " + string(row.Engine)}, p.Y.Names...)
		v := row.Series(func(f experiments.AIOFigures) stats.Number { return of(f) * stats.Number(unit) })
		low, high := stats.Interval(v)
		here.Points = append(here.Points, chart.Point{X: float64(stats.Median(v)), Y: y, Low: float64(low), High: float64(high)})
		for _, x := range published {
			there.Points = append(there.Points, chart.Point{X: x, Y: y, Low: x, High: x})
		}
	}
	p.Series = []chart.Series{here}
	if len(published) > 0 {
		p.Series = append(p.Series, there)
	}
	return p
}

func aioNumbers(r *experiments.AIOResult) Table {
	t := Table{Head: []string{
		"I/O scheduler", "engine", "all, ms", "writes a batch, median", "half of them in batches of", "submit, µs", "longest submit, µs",
		"first of a batch, µs", "latency, µs", "longest latency, µs",
	}}
	us := func(n stats.Number) string { return report.Micros(time.Duration(n)) }
	for _, row := range r.Rows {
		cells := []string{experiments.SchedulerName(row.Scheduler), string(row.Engine)}
		if row.Unsupported != "" {
			t.Rows = append(t.Rows, append(cells, row.Unsupported))
			continue
		}
		t.Rows = append(t.Rows, append(cells, us(row.All/1e3), report.Count(row.Batch), report.Count(row.Half), us(row.Submit), us(row.Longest),
			us(row.First), us(row.Latency), us(row.Worst)))
	}
	return t
}

// fileName returns the name without characters that a file's name should not have.
func fileName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
			return c
		}
		return '-'
	}, strings.ToLower(name))
}
