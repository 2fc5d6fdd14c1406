package pictures

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// syscallPanels is what the panels of one side in one picture show, by size.
type syscallPanels struct {
	title  string
	sizes  []float64
	names  []string // labels of the sizes
	tops   []string // the sum of a read's time in system calls
	calls  []string // in the order of their styles
	styles map[string]int
	sides  []experiments.Fig5Side // by size
}

func newSyscallPanels(rows []experiments.Fig5Row, side int, styles map[string]int) *syscallPanels {
	w := &syscallPanels{styles: styles}
	for _, row := range rows {
		s := row.Sides[side]
		w.title = s.Side.Name
		w.sizes = append(w.sizes, float64(row.Size))
		w.names = append(w.names, sizeName(row.Load))
		w.sides = append(w.sides, s)
		if s.Unsupported != "" {
			w.title = s.Side.Name + ": n/a"
			w.tops = append(w.tops, "")
			continue
		}
		w.tops = append(w.tops, report.Micros(time.Duration(s.PerOp)))
		for _, call := range s.Calls {
			if !slices.Contains(w.calls, call.Name) {
				w.calls = append(w.calls, call.Name)
			}
		}
	}
	slices.SortFunc(w.calls, func(a, b string) int { return cmp.Compare(styles[a], styles[b]) })
	return w
}

// call returns the system call for the size of that index, false if it was not made.
func (w *syscallPanels) call(size int, name string) (experiments.SyscallTime, bool) {
	i := slices.IndexFunc(w.sides[size].Calls, func(s experiments.SyscallTime) bool { return s.Name == name })
	if i < 0 {
		return experiments.SyscallTime{}, false
	}
	return w.sides[size].Calls[i], true
}

// bars has a bar for each size, with a part for each system call.
func (w *syscallPanels) bars() *chart.Panel {
	const room = 1.15 // for the text over the highest bar
	p := &chart.Panel{
		Title: w.title,
		X:     chart.Axis{Name: "bytes a read", Names: w.names},
		Y:     chart.Axis{Name: "µs a read, stacked", Format: short},
		Tops:  w.tops,
	}
	for _, name := range w.calls {
		s := chart.Series{Name: name, Style: w.styles[name], Bars: true}
		for i := range w.sizes {
			if call, ok := w.call(i, name); ok && !call.Once {
				s.Points = append(s.Points, chart.Point{X: float64(i), Y: float64(call.PerOp) / 1e3})
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	for _, s := range w.sides {
		if s.PerOp > 0 {
			p.Y.Fixed, p.Y.Max = true, max(p.Y.Max, room*float64(s.PerOp)/1e3)
		}
	}
	return p
}

// lines has a line for each system call.
func (w *syscallPanels) lines() *chart.Panel {
	p := &chart.Panel{
		X: chart.Axis{Name: "bytes a read", Log: true, Ticks: []float64{1e3, 1e4, 1e5, 1e6}, Format: short},
		Y: chart.Axis{Name: "µs a call", Log: true, Format: plain},
	}
	var times []interval
	for _, name := range w.calls {
		s := chart.Series{Name: name, Style: w.styles[name], Line: true}
		for i, size := range w.sizes {
			if t := meanCall(w.sides[i], name); t.value > 0 {
				times = append(times, t)
				s.Points = append(s.Points, chart.Point{X: size, Y: t.value, Low: t.low, High: t.high})
			}
		}
		p.Series = append(p.Series, s)
	}
	fit(&p.Y, times)
	return p
}

// sizeName is the label for the size of a read.
func sizeName(l load.Load) string {
	if l.Kind.Direct() {
		return report.Bytes(int64(l.Size))
	}
	return short(float64(l.Size))
}

// meanCall returns the time of one call in µs, over the rounds in which it was made.
func meanCall(s experiments.Fig5Side, name string) interval {
	var means []stats.Number
	for _, round := range s.Rounds {
		if round.Syscalls == nil {
			continue
		}
		for _, c := range round.Syscalls.Calls {
			if c.Name == name && c.Count > 0 {
				means = append(means, stats.Number(c.Time)/stats.Number(c.Count)/1e3)
			}
		}
	}
	low, high := stats.Interval(means)
	return interval{float64(stats.Median(means)), float64(low), float64(high)}
}
