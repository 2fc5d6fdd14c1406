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

// syscallPanels has the data of one side's panels in one picture, by size.
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

// call returns the system call for the size of that index, and false if it was not made.
func (p *syscallPanels) call(size int, name string) (experiments.SyscallTime, bool) {
	i := slices.IndexFunc(p.sides[size].Calls, func(s experiments.SyscallTime) bool { return s.Name == name })
	if i < 0 {
		return experiments.SyscallTime{}, false
	}
	return p.sides[size].Calls[i], true
}

// bars has a bar for each size, with a part for each system call.
func (p *syscallPanels) bars() *chart.Panel {
	const room = 1.15 // for the text over the highest bar
	panel := &chart.Panel{
		Title: p.title,
		X:     chart.Axis{Name: "bytes a read", Names: p.names},
		Y:     chart.Axis{Name: "µs a read, stacked", Format: short},
		Tops:  p.tops,
	}
	for _, name := range p.calls {
		s := chart.Series{Name: name, Style: p.styles[name], Bars: true}
		for i := range p.sizes {
			if call, ok := p.call(i, name); ok && !call.Once {
				s.Points = append(s.Points, chart.Point{X: float64(i), Y: float64(call.PerOp) / 1e3})
			}
		}
		if len(s.Points) > 0 {
			panel.Series = append(panel.Series, s)
		}
	}
	for _, s := range p.sides {
		if s.PerOp > 0 {
			panel.Y.Fixed, panel.Y.Max = true, max(panel.Y.Max, room*float64(s.PerOp)/1e3)
		}
	}
	return panel
}

// lines has a line for each system call.
func (p *syscallPanels) lines() *chart.Panel {
	panel := &chart.Panel{
		X: chart.Axis{Name: "bytes a read", Log: true, Ticks: []float64{1e3, 1e4, 1e5, 1e6}, Format: short},
		Y: chart.Axis{Name: "µs a call", Log: true, Format: plain},
	}
	var times []interval
	for _, name := range p.calls {
		s := chart.Series{Name: name, Style: p.styles[name], Line: true}
		for i, size := range p.sizes {
			if t := meanCall(p.sides[i], name); t.value > 0 {
				times = append(times, t)
				s.Points = append(s.Points, chart.Point{X: size, Y: t.value, Low: t.low, High: t.high})
			}
		}
		panel.Series = append(panel.Series, s)
	}
	fit(&panel.Y, times)
	return panel
}

// sizeName returns the label for the size of a read.
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
