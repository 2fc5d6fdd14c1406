package experiments

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// raceTable is 79 columns wide.
func raceTable(scan bool) report.Table {
	rate, cpu := "ops/s", "CPU us\nan op"
	if scan {
		rate, cpu = "bytes/s", "CPU us\na MiB"
	}
	return report.Table{
		{Head: "side", Width: 17},
		{Head: rate, Width: 7, Align: report.Right},
		{Head: "ratio", Width: 5, Align: report.Right},
		{Head: cpu, Width: 7, Align: report.Right},
		{Head: "CPU\nratio", Width: 5, Align: report.Right},
		{Head: "peak of\nbuffers", Width: 8, Align: report.Right},
		{Head: "memory\nover idle", Width: 9, Align: report.Right},
		{Head: "threads", Width: 7, Align: report.Right},
	}
}

// text returns the table and what is below it.
func (r Race) text() string {
	table := raceTable(r.Rows[0].Kind.Scan())
	var b strings.Builder
	b.WriteString(table.Header())
	for _, row := range r.Rows {
		b.WriteString(row.text(table))
	}
	b.WriteString("\n" + r.explain())
	if r.Published != "" {
		b.WriteString(report.Wrap("published: " + r.Published))
	}
	if r.Finding != "" {
		b.WriteString(report.Wrap("here: " + r.Finding))
	}
	b.WriteString("\n" + r.verdicts() + "\n")
	return b.String()
}

// verdictTable is 80 columns wide.
func verdictTable(scan bool) report.Table {
	rate := "ops/s"
	if scan {
		rate = "bytes/s"
	}
	return report.Table{
		{Head: "ratio of", Width: 32},
		{Head: rate, Width: 7, Align: report.Right},
		{Head: "95 %", Width: 14, Align: report.Right},
		{Head: "", Width: 6},
		{Head: "CPU", Width: 5, Align: report.Right},
		{Head: "", Width: 6},
	}
}

func (r Race) verdicts() string {
	table := verdictTable(r.Rows[0].Kind.Scan())
	var b strings.Builder
	b.WriteString(table.Header())
	unjudged := slices.ContainsFunc(r.Rows, func(row RaceRow) bool { return few(len(row.Rounds)) })
	for _, v := range r.Verdicts {
		if v.Rate.Ratio.IsNaN() {
			b.WriteString(table.Row(v.pair(), "-"))
			continue
		}
		ratio, interval := report.Ratio(v.Rate.Ratio), report.Ratio(v.Rate.Low)+" to "+report.Ratio(v.Rate.High)
		if v.Rate.Verdict == "" {
			ratio, interval, unjudged = ratio+"*", "-", true
		}
		b.WriteString(table.Row(v.pair(), ratio, interval, v.Rate.Verdict,
			report.Ratio(v.CPU.Ratio), v.CPU.Verdict))
	}
	b.WriteString(FewNote(unjudged))
	for _, v := range r.Verdicts {
		if v.Note != "" {
			b.WriteString(report.Wrap(v.Note))
		}
	}
	return b.String()
}

// pair names both, the first one without sluice's name, which would not fit.
func (v Verdict) pair() string { return strings.TrimPrefix(v.Entry, "sluice ") + " to " + v.To }

func (r RaceRow) text(table report.Table) string {
	if r.Unsupported != "" {
		row := strings.TrimSuffix(table[:1].Row(r.Side.Name), "\n")
		return report.Hang(row+strings.Repeat(" ", max(2, table[0].Width+2-len(row))), strings.Repeat(" ", table[0].Width+2), r.Unsupported)
	}
	return table.Row(r.Side.Name, report.Count(r.Rate), marked(r.Ratio, len(r.Rounds)),
		microsOrNone(r.CPU), report.Ratio(r.CPURatio),
		bytesOrNone(r.Buffers), bytesOrNone(r.Resident), countOrNone(r.Threads))
}

// A figure that is missing is a dash, as elsewhere.

func microsOrNone(ns stats.Number) string {
	if ns.IsNaN() {
		return "-"
	}
	return report.Micros(time.Duration(ns))
}

func bytesOrNone(n int64) string {
	if n == 0 {
		return "-"
	}
	return report.Bytes(n)
}

func countOrNone(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// explain is what the first side of sluice and fio say of themselves.
func (r Race) explain() string {
	var text string
	for _, row := range r.Rows {
		line, _, _ := strings.Cut(row.Explain, "\n")
		if line == "" || (!row.Side.Way.Fio() && strings.Contains(text, line)) {
			continue
		}
		text += report.Wrap(line)
	}
	return text
}
