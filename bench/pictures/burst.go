package pictures

import (
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/chart"
)

// schedulers returns the schedulers of the rows, each once.
func schedulers(r *experiments.AIOResult) []string {
	var all []string
	for _, row := range r.Rows {
		if !slices.Contains(all, row.Scheduler) {
			all = append(all, row.Scheduler)
		}
	}
	return all
}

// burstPicture repeats the published picture for one scheduler: the times at which each write was
// queued and notified, and its latency. Each engine has a column. It returns false if there is no
// burst.
func burstPicture(r *experiments.AIOResult, scheduler string) (Picture, bool) {
	p := Picture{
		Name:  fileName(experiments.SchedulerName(scheduler)),
		Title: "I/O scheduler " + experiments.SchedulerName(scheduler) + ".",
		Alt:   "When each write was queued and notified, by its number, and its latency; a column of panels for each engine.",
		Chart: chart.Figure{Height: 240, Rows: make([][]*chart.Panel, 2)},
	}
	for _, row := range r.Rows {
		if row.Scheduler != scheduler || row.Round == nil {
			continue
		}
		times, latencies := burstPanels(experiments.SchedulerName(scheduler)+", "+string(row.Engine), row.Round)
		p.Chart.Rows[0] = append(p.Chart.Rows[0], times)
		p.Chart.Rows[1] = append(p.Chart.Rows[1], latencies)
	}
	for _, row := range p.Chart.Rows {
		most := 0.0
		for _, panel := range row {
			most = max(most, panel.Y.Max)
		}
		for _, panel := range row {
			panel.Y.Max = most
		}
	}
	return p, len(p.Chart.Rows[0]) > 0
}

func burstPanels(title string, b *burst.Result) (times, latencies *chart.Panel) {
	// Red, as published.
	queued := chart.Series{Name: "queued", Style: chart.Published, Line: true, Plain: true}
	notified := chart.Series{Name: "notified", Style: 0, Plain: true}
	latency := chart.Series{Name: "latency", Style: 1, Plain: true}
	number := chart.Axis{Name: "number of the write", Format: plain}
	times = &chart.Panel{Title: title, X: number, Y: chart.Axis{Name: "ms since the first", Format: plain}}
	latencies = &chart.Panel{X: number, Y: chart.Axis{Name: "latency, ms", Format: plain}}
	for i := range b.Queued {
		x := float64(i)
		queued.Points = append(queued.Points, chart.Point{X: x, Y: ms(b.Queued[i])})
		notified.Points = append(notified.Points, chart.Point{X: x, Y: ms(b.Notified[i])})
		latency.Points = append(latency.Points, chart.Point{X: x, Y: ms(b.Latency(i))})
		times.Y.Max = max(times.Y.Max, ms(b.Notified[i]))
		latencies.Y.Max = max(latencies.Y.Max, ms(b.Latency(i)))
	}
	times.Series, latencies.Series = []chart.Series{notified, queued}, []chart.Series{latency}
	return times, latencies
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
