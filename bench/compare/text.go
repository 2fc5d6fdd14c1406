package compare

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/results"
)

// table is 69 columns wide.
var table = report.Table{
	{Head: "side", Width: 22},
	{Head: "A\nops/s", Width: 7, Align: report.Right},
	{Head: "B\nops/s", Width: 7, Align: report.Right},
	{Head: "\nB / A", Width: 5, Align: report.Right},
	{Head: "\n95 %", Width: 10, Align: report.Right},
	{Head: "", Width: 8},
}

// Text returns the changes as text of 80 columns.
func (c *Changes) Text() string {
	var b strings.Builder
	b.WriteString(runLine("A", c.A) + runLine("B", c.B) + c.conditions() + "\n" + table.Header())
	cell := ""
	for _, l := range c.Lines {
		if l.Cell != cell {
			cell = l.Cell
			b.WriteString(report.Wrap(cell))
		}
		b.WriteString(table.Row("  "+l.Side.Name, report.Count(l.A), report.Count(l.B), report.Ratio(l.Ratio),
			l.interval(), string(l.Verdict)))
	}
	return b.String() + "\n" + c.summary()
}

// interval returns the interval for a table, or a dash if there are too few rounds for one.
func (l Line) interval() string {
	if l.few() {
		return "-"
	}
	return report.Ratio(l.Low) + "-" + report.Ratio(l.High)
}

func runLine(name string, r *results.Run) string {
	return report.Wrap(fmt.Sprintf("%s: sluice %s, %s", name, r.Version, r.Finished.Format("2006-01-02 15:04 MST")))
}

// conditions returns the differences between the machines and settings of the runs. They may be the
// cause of different results.
func (c *Changes) conditions() string {
	var differ []string
	note := func(what string, a, b any) {
		if a != b {
			differ = append(differ, fmt.Sprintf("%s (%v, then %v)", what, a, b))
		}
	}
	a, b := c.A, c.B
	note("machine", hardware(a.Machine), hardware(b.Machine))
	note("kernel", a.Machine.Kernel, b.Machine.Kernel)
	note("disk", a.Machine.Disk(), b.Machine.Disk())
	note("Go", a.Machine.Go, b.Machine.Go)
	note("file", report.Bytes(a.FileSize), report.Bytes(b.FileSize))
	note("--driver", orChosen(a.Driver), orChosen(b.Driver))
	if len(differ) == 0 {
		return ""
	}
	return report.Wrap("not the same: " + strings.Join(differ, "; "))
}

func hardware(m machine.Info) string {
	return fmt.Sprintf("%d x %s, %s", m.Cores, m.CPU, report.Bytes(m.Memory))
}

func orChosen(driver string) string {
	if driver == "" {
		return "its own choice"
	}
	return driver
}

// summary returns the lines under the table.
func (c *Changes) summary() string {
	var b strings.Builder
	b.WriteString(c.tally("sluice", isSluice))
	b.WriteString(c.tally("the others", func(s load.Side) bool { return !isSluice(s) }))
	b.WriteString(report.Wrap(fmt.Sprintf("better, worse: the whole 95 %% interval is above, or below, 1; level: it holds 1, and is within ±%s; unclear: it is wider, or of fewer than %d rounds",
		report.Percent(stats.Narrow), experiments.RoundsForVerdict)))
	b.WriteString(report.Wrap("The interval holds what varied within the runs. Where os.File and fio changed " +
		"as well, it was the machine."))
	for _, only := range []struct {
		name  string
		cells []string
	}{{"A", c.OnlyA}, {"B", c.OnlyB}} {
		if len(only.cells) > 0 {
			b.WriteString(report.Wrap(fmt.Sprintf("only in %s: %s", only.name, some(only.cells))))
		}
	}
	return b.String()
}

// tally counts the verdicts on the chosen sides.
func (c *Changes) tally(name string, chosen func(load.Side) bool) string {
	n := make(map[Verdict]int)
	for _, l := range c.Lines {
		if chosen(l.Side) {
			n[l.Verdict]++
		}
	}
	return report.Wrap(fmt.Sprintf("%s: %d better, %d level, %d worse, %d unclear", name, n[Better], n[Level], n[Worse], n[Unclear]))
}

func isSluice(s load.Side) bool {
	return s.Way != load.ByOS && s.Way != load.ByPaper && s.Way != load.ByProgram && !s.Way.Fio()
}

// some returns the first names, and the number of further ones.
func some(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(names[:most], "; "), len(names)-most)
}
