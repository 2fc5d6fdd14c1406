package pictures

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/report"
)

// fig5Figure has a picture for each kind of file and number of goroutines, with a row of panels for
// each side. Bars have the time in each system call, as in the paper. Lines have the time of one
// call, in which small sizes are visible.
func fig5Figure(title string, r *experiments.Fig5Result) Figure {
	f := Figure{
		Title:    title,
		Expected: r.Finding,
		Caption: "Left: time that a read spends in system calls, all threads together; the sum is over the bar. " +
			"Right: how long one call takes, both axes logarithmic. io_setup and io_destroy are made once for a context, and are not in the bars. " +
			"All sides have the same axes. " + plusMinus + " The paper gives its figure without numbers, so its finding is quoted in words.",
		Table: fig5Numbers(r),
		Data:  []Data{{What: "system calls of all rounds", text: func() ([]byte, error) { return syscallRounds(r) }}},
	}
	if r.Verdict != "" {
		f.Seen = []string{r.Verdict}
	}
	styles := syscallStyles(r)
	for _, mode := range fig5Modes(r) {
		f.Pictures = append(f.Pictures, fig5Picture(mode, styles))
	}
	return f
}

// fig5Modes groups the rows by kind of file and number of goroutines.
func fig5Modes(r *experiments.Fig5Result) [][]experiments.Fig5Row {
	var modes [][]experiments.Fig5Row
	for _, row := range r.Rows {
		i := slices.IndexFunc(modes, func(m []experiments.Fig5Row) bool {
			return m[0].Kind == row.Kind && m[0].Goroutines == row.Goroutines
		})
		if i < 0 {
			i, modes = len(modes), append(modes, nil)
		}
		modes[i] = append(modes[i], row)
	}
	return modes
}

func fig5Picture(rows []experiments.Fig5Row, styles map[string]int) Picture {
	first := rows[0]
	name, file := "buffered", "a buffered file that is not cached"
	if first.Kind.Direct() {
		name, file = "direct", "O_DIRECT, sizes rounded up to the sector"
	}
	p := Picture{
		Name:  fmt.Sprintf("%s-%d", name, first.Goroutines),
		Title: fmt.Sprintf("%d goroutines, %s.", first.Goroutines, file),
		Alt:   "Time in each system call by the size of a read, stacked, and the time of one call; a row of panels for each side.",
		Chart: chart.Figure{Height: 200},
	}
	var bars, lines []*chart.Panel
	for i := range first.Sides {
		w := newSyscallPanels(rows, i, styles)
		bars, lines = append(bars, w.bars()), append(lines, w.lines())
		p.Chart.Rows = append(p.Chart.Rows, []*chart.Panel{bars[i], lines[i]})
	}
	sameAxis(bars)
	sameAxis(lines)
	return p
}

// sameAxis gives all panels one axis that shows all values.
func sameAxis(panels []*chart.Panel) {
	var all chart.Axis
	for _, p := range panels {
		switch {
		case p.Y.Fixed && !all.Fixed:
			all = p.Y
		case p.Y.Fixed:
			all.Min, all.Max = min(all.Min, p.Y.Min), max(all.Max, p.Y.Max)
		}
	}
	for _, p := range panels {
		p.Y.Fixed, p.Y.Min, p.Y.Max = all.Fixed, all.Min, all.Max
	}
}

// syscallStyles gives each system call one style for all pictures.
func syscallStyles(r *experiments.Fig5Result) map[string]int {
	styles := map[string]int{
		"io_submit": 1, "pread64": 2, "io_getevents": 3, "preadv2": 4, "io_uring_enter": 5, "io_setup": 6, "io_destroy": 7,
	}
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			for _, c := range s.Calls {
				if _, ok := styles[c.Name]; !ok {
					styles[c.Name] = len(styles) + 1
				}
			}
		}
	}
	return styles
}

func fig5Numbers(r *experiments.Fig5Result) Table {
	t := Table{Head: []string{"file", "bytes", "goroutines", "side", "system call", "µs a read", "µs a call", "calls a read"}}
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			cells := []string{string(row.Kind), strconv.Itoa(row.Size), strconv.Itoa(row.Goroutines), s.Side.Name}
			if s.Unsupported != "" {
				t.Rows = append(t.Rows, append(cells, s.Unsupported))
				continue
			}
			for _, c := range s.Calls {
				perRead := report.Micros(time.Duration(c.PerOp))
				if c.Once {
					perRead = "a context"
				}
				t.Rows = append(t.Rows, append(slices.Clip(cells), c.Name, perRead, report.Micros(time.Duration(c.Mean)),
					strconv.FormatFloat(float64(c.Times), 'f', 3, 64)))
			}
		}
	}
	return t
}
