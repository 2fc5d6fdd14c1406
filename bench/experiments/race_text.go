package experiments

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// raceTable returns the columns of the table, 79 characters wide.
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

// text returns the table and the lines under it.
func (r Race) text() string {
	table := raceTable(r.Rows[0].Kind.Scan())
	var b strings.Builder
	b.WriteString(table.Header())
	for _, row := range r.Rows {
		b.WriteString(row.text(table, r.Rows[0]))
	}
	b.WriteString("\n" + r.late() + r.explain())
	if r.Published != "" {
		b.WriteString(report.Wrap("published: " + r.Published))
	}
	if r.Finding != "" {
		b.WriteString(report.Wrap("here: " + r.Finding))
	}
	b.WriteString("\n" + r.verdicts() + "\n")
	return b.String()
}

// verdictTable returns the columns of the verdicts, 80 characters wide.
func verdictTable(scan bool) report.Table {
	rate := "ops/s"
	if scan {
		rate = "bytes/s"
	}
	return report.Table{
		{Head: "ratio of", Width: 30},
		{Head: rate, Width: 7, Align: report.Right},
		{Head: "95 %", Width: 14, Align: report.Right},
		{Head: "", Width: 7},
		{Head: "CPU", Width: 5, Align: report.Right},
		{Head: "", Width: 7},
	}
}

func (r Race) verdicts() string {
	table := verdictTable(r.Rows[0].Kind.Scan())
	var b strings.Builder
	b.WriteString(table.Header())
	undecided := slices.ContainsFunc(r.Rows, func(row RaceRow) bool { return tooFew(row.RoundsWith(r.Rows[0])) })
	for _, v := range r.Verdicts {
		if v.Rate.Ratio.IsNaN() {
			b.WriteString(table.Row(v.pair(), "-"))
			continue
		}
		ratio, interval := report.Ratio(v.Rate.Ratio), report.Ratio(v.Rate.Low)+" to "+report.Ratio(v.Rate.High)
		if v.Rate.Verdict == "" {
			ratio, interval, undecided = ratio+"*", "-", true
		}
		b.WriteString(table.Row(v.pair(), ratio, interval, string(v.Rate.Verdict),
			report.Ratio(v.CPU.Ratio), string(v.CPU.Verdict)))
	}
	b.WriteString(FewNote(undecided))
	for _, v := range r.Verdicts {
		if v.Note != "" {
			b.WriteString(report.Wrap(v.Note))
		}
	}
	return b.String()
}

// pair names both sides. The first is without "sluice", which would not fit.
func (v Verdict) pair() string { return strings.TrimPrefix(v.Entry, "sluice ") + " to " + v.To }

func (r RaceRow) text(table report.Table, first RaceRow) string {
	if r.Unsupported != "" {
		row := strings.TrimSuffix(table[:1].Row(r.Side.Name), "\n")
		return report.Hang(row+strings.Repeat(" ", max(2, table[0].Width+2-len(row))), strings.Repeat(" ", table[0].Width+2), r.Unsupported)
	}
	return table.Row(r.Side.Name, report.Count(r.Rate), ratioText(r.Ratio, r.RoundsWith(first)),
		microsOrNone(r.CPU), report.Ratio(r.CPURatio),
		bytesOrNone(r.Buffers), bytesOrNone(r.Resident), countOrNone(r.Threads))
}

// microsOrNone returns a time in microseconds, or a dash if there is none.
func microsOrNone(ns stats.Number) string {
	if ns.IsNaN() {
		return "-"
	}
	return report.Micros(time.Duration(ns))
}

// bytesOrNone returns a number of bytes, or a dash for 0.
func bytesOrNone(n int64) string {
	if n == 0 {
		return "-"
	}
	return report.Bytes(n)
}

// countOrNone returns a count, or a dash for 0.
func countOrNone(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// explain returns the first line with which sluice describes itself, and the lines of fio.
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
