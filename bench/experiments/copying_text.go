package experiments

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// copyTable is 80 characters wide.
var copyTable = report.Table{
	{Head: "program", Width: 16},
	{Head: "mean, s", Width: 11, Align: report.Right},
	{Head: "min to max", Width: 11, Align: report.Right},
	{Head: "speed", Width: 5, Align: report.Right},
	{Head: "95 %", Width: 9, Align: report.Right},
	{Head: "CPU", Width: 4, Align: report.Right},
	{Head: "MiB", Width: 4, Align: report.Right},
	{Head: "thr", Width: 4, Align: report.Right},
}

// copyLegend explains copyTable.
const copyLegend = "speed and CPU (user and system) are to the first row: medians of the ratios within rounds, with a 95 % interval (bootstrap); " +
	"MiB is the most resident memory, thr the most threads."

// floorLegend follows copyLegend if the table has a floor.
const floorLegend = " 'floor x N' is N threads of bare system calls without any check."

// head returns the lines above the tables. With floor they mention the floor.
func (r *CopyResult) head(name string, floor bool) string {
	text := report.Wrap(fmt.Sprintf("%s: %s, each in %d levels of directories", name, describeTree(r.Place.Sum), r.Shape.Levels))
	if r.Shape != r.Published {
		p := r.Published
		text += report.Wrap(fmt.Sprintf("the published tree has %d files in %d directories (--full)", p.Files(), p.Dirs()))
	}
	text += report.Wrap("on " + r.Place.What)
	for _, note := range r.Place.Notes {
		text += report.Wrap("note: " + note)
	}
	legend := copyLegend
	if floor {
		legend += floorLegend
	}
	return text + report.Wrap(fmt.Sprintf("every program in turn, in another order each round (--seed %d); %s", r.Seed, legend)) + "\n"
}

func describeTree(s tree.Sum) string {
	return fmt.Sprintf("%d files in %d directories, %s", s.Files, s.Dirs, report.Bytes(s.Bytes))
}

// text returns the table and the lines under it.
func (m CopyMode) text() string {
	var b strings.Builder
	title := fmt.Sprintf("%s: %s; rounds: %d", m.Name, m.Title, m.rounds())
	if m.Part {
		title += fmt.Sprintf("; of a part, %s", describeTree(m.Sum))
	}
	b.WriteString(report.Wrap(title))
	if m.Note != "" {
		b.WriteString(report.Wrap("note: " + m.Note))
	}
	b.WriteString(copyTable.Header())
	for _, row := range m.Rows {
		b.WriteString(row.text())
	}
	b.WriteString(FewNote(tooFew(m.rounds())) + m.warnings())
	if m.Published != "" {
		b.WriteString("\n" + report.Wrap("published: "+m.Published))
	}
	if m.Finding != "" {
		b.WriteString(report.Wrap("here: " + m.Finding))
	}
	return b.String() + "\n"
}

func (m CopyMode) rounds() int {
	n := 0
	for _, row := range m.Rows {
		n = max(n, len(row.Rounds))
	}
	return n
}

func (r CopyRow) text() string {
	name := r.Side.Name
	if r.Unsupported != "" {
		return report.Hang(fmt.Sprintf("%-16s  ", name), strings.Repeat(" ", 18), r.Unsupported)
	}
	mean := secondsText(r.Mean)
	if !r.Deviation.IsNaN() {
		mean += " ±" + report.Percent(r.Deviation/r.Mean)
	}
	interval := ""
	if !r.Speed.Low.IsNaN() {
		interval = report.Ratio(r.Speed.Low) + "-" + report.Ratio(r.Speed.High)
	}
	return copyTable.Row(name, mean, secondsText(r.Min)+"-"+secondsText(r.Max), ratioText(r.Speed.Ratio, len(r.Rounds)), interval,
		report.Ratio(r.CPURatio), countOrNone(int((r.Resident+1<<20-1)>>20)), countOrNone(r.Threads))
}

// warnings returns a line for each round that took unusually long for its program.
func (m CopyMode) warnings() string {
	var b strings.Builder
	for _, row := range m.Rows {
		for _, round := range row.Outliers {
			took := stats.Number(row.Rounds[round-1].Elapsed.Seconds())
			b.WriteString(report.Wrap(fmt.Sprintf("outlier: %s took %s s in round %d, %s s is its median: was something else running?",
				row.Side.Name, secondsText(took), round, secondsText(row.Median))))
		}
	}
	return b.String()
}

// secondsText returns n seconds with three significant digits, or whole milliseconds below a
// second.
func secondsText(n stats.Number) string {
	decimals := 3
	switch {
	case n.IsNaN():
		return "-"
	case n >= 99.95:
		decimals = 0
	case n >= 9.995:
		decimals = 1
	case n >= 0.9995:
		decimals = 2
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}
