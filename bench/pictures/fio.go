package pictures

import (
	"strings"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// fioFigure has a row for each job, with its reads and its writes.
func fioFigure(title string, r *experiments.FioResult) Figure {
	f := Figure{
		Title:    title,
		Expected: r.Finding,
		Seen:     []string{r.Verdict},
		Caption:  "Further to the right is faster, logarithmic. " + plusMinus,
		Table:    Table{Head: []string{"job", "reads", "writes"}},
	}
	p := &chart.Panel{X: chart.Axis{Name: "MB/s", Log: true, Format: short}}
	reads, writes := chart.Series{Name: "reads", Style: 1}, chart.Series{Name: "writes", Style: 3}
	for i, row := range r.Rows {
		y := float64(len(r.Rows) - 1 - i)
		p.Y.Names = append([]string{jobName(row)}, p.Y.Names...)
		reads.Points = append(reads.Points, halfPoint(row.Read, row.Load, y+0.15))
		writes.Points = append(writes.Points, halfPoint(row.Write, row.Load, y-0.15))
		if row.Read.Unsupported != "" {
			f.Table.Rows = append(f.Table.Rows, []string{strings.Join(row.Options, " "), row.Read.Unsupported})
			continue
		}
		f.Table.Rows = append(f.Table.Rows, []string{
			strings.Join(row.Options, " "), report.Count(row.Read.Rate/1e6) + " MB/s", report.Count(row.Write.Rate/1e6) + " MB/s",
		})
	}
	p.Series = []chart.Series{reads, writes}
	f.Pictures = []Picture{{
		Alt:   "Bytes a second that fio reads and writes, one row for each job.",
		Chart: chart.Figure{Height: float64(76 + 36*len(r.Rows)), Rows: [][]*chart.Panel{{p}}},
	}}
	return f
}

func jobName(row experiments.FioRow) string {
	name := "sequential, "
	if row.Load.Kind == load.MixedRandom {
		name = "random, "
	}
	name += report.Bytes(int64(row.Load.Size))
	if row.Cached {
		return name + ", in memory"
	}
	return name + ", cold"
}

func halfPoint(h experiments.MixedHalf, l load.Load, y float64) chart.Point {
	t := intervalOf(h, float64(l.Size)/1e6, load.Slice.Rate)
	return chart.Point{X: t.value, Y: y, Low: t.low, High: t.high}
}
