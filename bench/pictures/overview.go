package pictures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/results"
)

// overviewName is the picture of os.File and sluice by the number of goroutines. It is for a
// README, where nothing explains it.
const overviewName = "overview.svg"

// crowd is one load through both sides, with several numbers of goroutines.
type crowd struct {
	kind  load.Kind
	size  int
	sides [2][]crowdPoint // os.File, sluice
}

// crowdPoint is the result of one side with one number of goroutines.
type crowdPoint struct {
	goroutines, threads float64
	rate, p99           interval // operations a second, microseconds
}

// overview returns the figure of operations a second, p99 and threads by the number of goroutines.
// The figure shows the load measured with the most numbers of goroutines. The bool is false if no
// load was measured through both sides.
func overview(run *results.Run) (Picture, bool) {
	best := crowd{}
	for _, c := range crowds(run) {
		if c.better(best) {
			best = c
		}
	}
	if best.kind == "" {
		return Picture{}, false
	}
	what := fmt.Sprintf("%s %s by the number of goroutines", report.Bytes(int64(best.size)), kindText(best.kind))
	ticks := best.ticks()
	panel := func(title string, y chart.Axis, of func(crowdPoint) interval) *chart.Panel {
		y.Whole = true // the picture is about many goroutines
		p := &chart.Panel{
			Title: title, Y: y, Spread: len(ticks) == 1,
			X: chart.Axis{Name: "goroutines", Log: true, Ticks: ticks, Format: plain},
		}
		for i, name := range []string{"os.File", "sluice"} {
			s := chart.Series{Name: name, Style: []int{chart.Published, 1}[i], Line: true}
			for _, pt := range best.sides[i] {
				v := of(pt)
				s.Points = append(s.Points, chart.Point{X: pt.goroutines, Y: v.value, Low: v.low, High: v.high})
			}
			p.Series = append(p.Series, s)
		}
		return p
	}
	row := []*chart.Panel{
		panel("Operations a second", chart.Axis{Max: 1, Format: short}, func(c crowdPoint) interval { return c.rate }),
		panel("p99 latency, µs", chart.Axis{Log: true, Format: short}, func(c crowdPoint) interval { return c.p99 }),
	}
	if slices.ContainsFunc(best.sides[0], func(c crowdPoint) bool { return c.threads > 0 }) {
		row = append(row, panel("OS threads", chart.Axis{Log: true, Format: short, Min: 1, Max: 10}, func(c crowdPoint) interval {
			return interval{c.threads, c.threads, c.threads}
		}))
	}
	note := fmt.Sprintf("Medians; error bars hold them with 95 %%. More is better at the left, less in the others. sluice bench, %s.\n%s",
		run.Finished.Format("2006-01-02"), run.Machine)
	return Picture{
		Title: "os.File and sluice: " + what + ".",
		Alt:   "Operations a second, p99 latency and threads of os.File and of sluice, by the number of goroutines.",
		Chart: chart.Figure{Height: 260, Rows: [][]*chart.Panel{row}, Title: "os.File and sluice: " + what, Note: note},
	}, true
}

// crowds returns the loads that os.File and sluice performed, each with its numbers of goroutines.
func crowds(run *results.Run) []crowd {
	var all []crowd
	for _, named := range run.Results {
		from := len(all) // loads of different experiments are no series
		for _, p := range named.Points() {
			side := slices.Index([]load.Way{load.ByOS, load.BySluice}, p.Side.Way)
			if side < 0 || p.Unsupported != "" || p.Load.Procs > 0 || p.Load.Flood > 0 || p.Load.Kind.Scan() || len(p.Rounds) == 0 {
				continue
			}
			i := slices.IndexFunc(all[from:], func(c crowd) bool { return c.kind == p.Load.Kind && c.size == p.Load.Size })
			if i < 0 {
				i = len(all) - from
				all = append(all, crowd{kind: p.Load.Kind, size: p.Load.Size})
			}
			c := &all[from+i]
			n := float64(p.Load.Goroutines)
			if slices.ContainsFunc(c.sides[side], func(pt crowdPoint) bool { return pt.goroutines == n }) {
				continue // another driver, or --calibrate
			}
			c.sides[side] = append(c.sides[side], crowdPoint{
				goroutines: n, threads: float64(p.Threads),
				rate: intervalOf(p, 1, load.Slice.Rate),
				p99:  intervalOf(p, 1e-3, func(s load.Slice) float64 { return float64(s.P99) }),
			})
		}
	}
	for _, c := range all {
		for _, side := range c.sides {
			slices.SortFunc(side, func(a, b crowdPoint) int { return cmp.Compare(a.goroutines, b.goroutines) })
		}
	}
	return all
}

// better reports whether c is more informative than other: it has more numbers of goroutines, or as
// many and is direct reads of 4 KiB, which wait for the device.
func (c crowd) better(other crowd) bool {
	rank := func(c crowd) (n int) {
		if c.kind == load.ReadDirect {
			n += 2
		}
		if c.size == 4<<10 {
			n++
		}
		return n
	}
	n, m := min(len(c.sides[0]), len(c.sides[1])), min(len(other.sides[0]), len(other.sides[1]))
	return n > 0 && cmp.Or(cmp.Compare(n, m), cmp.Compare(rank(c), rank(other))) > 0
}

// ticks returns the numbers of goroutines.
func (c crowd) ticks() []float64 {
	var ticks []float64
	for _, side := range c.sides {
		for _, p := range side {
			if !slices.Contains(ticks, p.goroutines) {
				ticks = append(ticks, p.goroutines)
			}
		}
	}
	slices.Sort(ticks)
	return ticks
}

// kindText returns a kind of load in words.
func kindText(k load.Kind) string {
	for _, known := range []struct {
		kind load.Kind
		text string
	}{
		{load.ReadCached, "reads from the page cache"},
		{load.ReadCold, "cold reads"},
		{load.ReadDirect, "random direct reads"},
		{load.WriteBuffered, "buffered writes"},
		{load.WriteDirect, "direct writes"},
		{load.WriteSync, "writes with Sync"},
		{load.SyncOwn, "writes with Sync, a file for each goroutine,"},
		{load.WriteLogs, "appends with Sync, a log for each goroutine,"},
		{load.WriteAppend, "appends with Sync to one log"},
		{load.ServeFile, "io.Copy to a socket"},
	} {
		if known.kind == k {
			return known.text
		}
	}
	return strings.ReplaceAll(string(k), "-", " ")
}
