package experiments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// PebbleResult is the result of pebble.
type PebbleResult struct {
	SliceTime time.Duration `json:"slice_time"`
	Rounds    int           `json:"rounds"`
	Data      int64         `json:"data"`       // bytes of the database
	Memory    int64         `json:"memory"`     // bytes of a process, page cache included
	Procs     int           `json:"gomaxprocs"` // of all sides
	Missing   string        `json:"missing,omitempty"`
	Cells     []PebbleCell  `json:"cells"`
}

// PebbleCell is the result of one cell.
type PebbleCell struct {
	load.Load
	Name  string       `json:"name"`
	Sides []PebbleSide `json:"sides"` // the first is stock
}

// PebbleSide is the result of one side of a cell. Its ratios are to stock, medians over the rounds.
type PebbleSide struct {
	Ratio   stats.Number  `json:"ratio"` // operations a second
	Low     stats.Number  `json:"low"`   // 95 % interval of Ratio
	High    stats.Number  `json:"high"`
	Verdict stats.Verdict `json:"verdict,omitempty"`
	CPU     stats.Number  `json:"cpu_ratio"` // processor time an operation
	P99     stats.Number  `json:"p99_ratio"`
	P999    stats.Number  `json:"p999_ratio"`
	*duel.Result
}

func newPebbleCell(l load.Load, results []*duel.Result) PebbleCell {
	c := PebbleCell{Load: l, Name: l.String()}
	for _, r := range results {
		pair := []*duel.Result{results[0], r}
		of := func(figure func(load.Slice) float64) []stats.Number { return ratios(pair, figure) }
		rates := of(load.Slice.Rate)
		s := PebbleSide{Result: r, Ratio: stats.Median(rates)}
		s.Low, s.High = stats.Interval(rates)
		s.CPU = stats.Median(of(func(s load.Slice) float64 { return float64(s.CPUPerOp()) }))
		s.P99 = stats.Median(of(func(s load.Slice) float64 { return float64(s.P99) }))
		s.P999 = stats.Median(of(func(s load.Slice) float64 { return float64(s.P999) }))
		if r != results[0] && !s.Ratio.IsNaN() {
			s.Verdict = stats.Judge(s.Ratio, s.Low, s.High, stats.Count(rates))
		}
		c.Sides = append(c.Sides, s)
	}
	return c
}

// rounds returns the number of rounds with a ratio of the side's operations a second to stock's.
func (c PebbleCell) rounds(s PebbleSide) int {
	return stats.Count(ratios([]*duel.Result{c.Sides[0].Result, s.Result}, load.Slice.Rate))
}

// Points returns each side of each cell.
func (r *PebbleResult) Points() []Point {
	var points []Point
	for _, c := range r.Cells {
		for _, s := range c.Sides {
			points = append(points, Point{c.Name, c.Load, s.Result})
		}
	}
	return points
}

// check returns an error for a cell without sides.
func (r *PebbleResult) check() error {
	for _, c := range r.Cells {
		if len(c.Sides) == 0 {
			return fmt.Errorf("%q has no sides", c.Name)
		}
	}
	return nil
}

// reason returns why nothing was measured.
func (r *PebbleResult) reason() string { return r.Missing }

// pebbleTable is 80 characters wide.
var pebbleTable = report.Table{
	{Head: "side", Width: 12},
	{Head: "ops/s", Width: 5, Align: report.Right},
	{Head: "ratio", Width: 5, Align: report.Right},
	{Head: "95 %", Width: 10, Align: report.Right},
	{Head: "", Width: 7},
	{Head: "CPU\nratio", Width: 5, Align: report.Right},
	{Head: "p50\nms", Width: 4, Align: report.Right},
	{Head: "p99\nms", Width: 4, Align: report.Right},
	{Head: "99.9\nms", Width: 4, Align: report.Right},
	{Head: "thr.", Width: 4, Align: report.Right},
}

func (r *PebbleResult) head() string {
	fits := ""
	if r.Data <= r.Memory {
		fits = report.Wrap("the database fits into memory, so the sides hardly differ: a larger --size says more")
	}
	return report.Wrap(fmt.Sprintf("%s: a Pebble database of %s, in processes that have %s of memory with their page cache; %d rounds of %s, each of new processes, in turn; GOMAXPROCS %d",
		pebbleName, report.Bytes(r.Data), report.Bytes(r.Memory), r.Rounds, r.SliceTime, r.Procs)) +
		report.Wrap("stock is Pebble's own files; buffered, hybrid and direct are pebblevfs, +bg with compactions in a background class, of which scans stay out; sluice build is stock, built by it. Direct has half of the memory as Pebble's block cache; the others have a sixteenth, and the page cache") + fits + "\n"
}

func (r *PebbleResult) missing() string {
	return report.Wrap(pebbleName+": not measured: "+r.Missing) + "\n"
}

// title describes the cell's operations.
func (c PebbleCell) title() string {
	what := map[load.Kind]string{
		load.PebbleGet:     "point reads",
		load.PebbleSync:    "batches of one record, each synced",
		load.PebbleCompact: fmt.Sprintf("point reads beside a compaction that writes %s/s", report.Bytes(c.Pace)),
		load.PebbleScan:    fmt.Sprintf("scans, an operation is %s", report.Bytes(int64(c.Size))),
	}[c.Kind]
	return fmt.Sprintf("%s (%s), goroutines: %d", what, c.Name, c.Goroutines)
}

func (c PebbleCell) text() string {
	var b strings.Builder
	b.WriteString(report.Wrap(c.title()) + pebbleTable.Header())
	for _, s := range c.Sides {
		b.WriteString(s.row(c.rounds(s)))
	}
	few := slices.ContainsFunc(c.Sides, func(s PebbleSide) bool { return tooFew(c.rounds(s)) })
	b.WriteString(FewNote(few) + c.compactions() + "\n")
	return b.String()
}

// row returns the side's row of the table. rounds is the number of rounds with a ratio.
func (s PebbleSide) row(rounds int) string {
	if s.Unsupported != "" {
		row := strings.TrimSuffix(pebbleTable[:1].Row(s.Side.Name), "\n")
		row += strings.Repeat(" ", pebbleTable[0].Width+2-len(row))
		return report.Hang(row, strings.Repeat(" ", len(row)), s.Unsupported)
	}
	interval := "-"
	if s.Verdict != "" && !tooFew(rounds) {
		interval = report.Ratio(s.Low) + "-" + report.Ratio(s.High)
	}
	millis := func(of func(load.Slice) time.Duration) string {
		return milliseconds(stats.Median(s.Series(func(s load.Slice) float64 { return float64(of(s)) })))
	}
	return pebbleTable.Row(s.Side.Name, report.Count(stats.Median(s.Series(load.Slice.Rate))), ratioText(s.Ratio, rounds),
		interval, string(s.Verdict), report.Ratio(s.CPU),
		millis(func(s load.Slice) time.Duration { return s.P50 }),
		millis(func(s load.Slice) time.Duration { return s.P99 }),
		millis(func(s load.Slice) time.Duration { return s.P999 }), countOrNone(s.Threads))
}

// milliseconds returns a time in milliseconds in at most four characters, up to 10 s: 0.02, 1.23,
// 12.3, 123.
func milliseconds(ns stats.Number) string {
	if ns.IsNaN() {
		return "-"
	}
	return report.Count(ns / stats.Number(time.Millisecond))
}

// reachedRate is the part of the compactions' rate that counts as reached.
const reachedRate = 0.95

// compactions returns a line for each side whose compactions missed the cell's rate, or one line if
// all sides reached it.
func (c PebbleCell) compactions() string {
	if c.Kind != load.PebbleCompact {
		return ""
	}
	var text string
	for _, s := range c.Sides {
		if len(s.Rounds) == 0 {
			continue
		}
		rate := stats.Median(s.Series(func(s load.Slice) float64 { return s.Compaction }))
		if float64(rate) < reachedRate*float64(c.Pace) {
			text += report.Wrap(fmt.Sprintf("not at the same rate: the compaction of %s wrote %s/s", s.Side.Name, report.Bytes(int64(rate))))
		}
	}
	if text == "" {
		return report.Wrap(fmt.Sprintf("the compaction of each side wrote %s/s, to %s", report.Bytes(c.Pace), report.Percent(1-reachedRate)))
	}
	return text
}
