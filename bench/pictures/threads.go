package pictures

import (
	"fmt"
	"strconv"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// threadsFigure has a row with the threads of each side and number of goroutines.
func threadsFigure(title string, r *experiments.ThreadsResult) Figure {
	_, bound := experiments.MostThreads(r.Procs)
	f := Figure{
		Title: title,
		Expected: fmt.Sprintf("no matter how many goroutines there are, sluice's threads are %s, and its memory at most %s over the goroutines' own stacks and buffers; os.File takes a thread for each that waits, and dies at the 10,000th.",
			bound, report.Bytes(experiments.MemoryOver)),
		Seen:    []string{r.Verdict},
		Caption: "Further to the left is less, logarithmic. On " + r.Disk + ".",
		Table:   threadsNumbers(r),
	}
	p := &chart.Panel{X: chart.Axis{Name: "threads", Log: true, Format: short, Whole: true}}
	files, ours := chart.Series{Name: "os.File", Style: 3}, chart.Series{Name: "sluice", Style: 1}
	for i, row := range r.Rows {
		y := float64(len(r.Rows) - 1 - i) // the first row on top
		p.Y.Names = append([]string{fmt.Sprintf("%d, %s, %s", row.Load.Goroutines, row.Reads(), row.Side.Name)}, p.Y.Names...)
		n := float64(row.Threads)
		series := &ours
		if row.Side.Way == load.ByOS {
			series = &files
		}
		series.Points = append(series.Points, chart.Point{X: n, Y: y, Low: n, High: n})
	}
	p.Series = []chart.Series{files, ours}
	f.Pictures = []Picture{{
		Alt:   "Threads by the number of goroutines and the side.",
		Chart: chart.Figure{Height: float64(76 + 26*len(r.Rows)), Rows: [][]*chart.Panel{{p}}},
	}}
	return f
}

func threadsNumbers(r *experiments.ThreadsResult) Table {
	t := Table{Head: []string{"goroutines", "reads", "side", "threads", "resident", "stacks", "buffers", "s", "end"}}
	for _, row := range r.Rows {
		cells := []string{strconv.Itoa(row.Load.Goroutines), row.Reads(), row.Side.Name, strconv.Itoa(row.Threads)}
		if row.Died != "" {
			t.Rows = append(t.Rows, append(cells, "", "", "", "", row.Died))
			continue
		}
		t.Rows = append(t.Rows, append(cells, report.Bytes(row.Resident), report.Bytes(row.Stacks), report.Bytes(row.Buffers),
			fmt.Sprintf("%.1f", row.Elapsed.Seconds()), "all read"))
	}
	return t
}
