package experiments

import (
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// summaryTable has a row for each setting.
var summaryTable = report.Table{
	{Head: "setting", Width: 18},
	{Head: "published", Width: 9, Align: report.Right},
	{Head: "here", Width: 6, Align: report.Right},
	{Head: "to buffered\npublished", Width: 11, Align: report.Right},
	{Head: "\nhere", Width: 6, Align: report.Right},
	{Head: "to\nfio", Width: 6, Align: report.Right},
	{Head: "CPU\nto fio", Width: 6, Align: report.Right},
}

// minSettings is the smallest number of settings for which a summary helps.
const minSettings = 3

// Summary returns the table that follows the results of a run with several settings of p4: the
// published figures beside the measured ones.
func Summary(results map[string]any) string {
	var b strings.Builder
	rows := 0
	for _, e := range p4 {
		if r, ok := results[e.Name].(*RaceResult); ok && len(r.Races) == 1 {
			b.WriteString(r.Races[0].summaryRow(e.Name))
			rows++
		}
	}
	if rows < minSettings {
		return ""
	}
	return report.Wrap("published ("+glommio2020+", 53 GB file, 2.5 times the memory, Optane) and here, bytes/s of scan-* and operations/s of rand-*") +
		"\n" + summaryTable.Header() + b.String() + "\n"
}

func (r Race) summaryRow(name string) string {
	subject, _ := r.row(r.subject)
	published, toBase := stats.NaN, stats.NaN
	if r.figure.base > 0 {
		published, toBase = stats.Number(r.figure.rate/r.figure.base), subject.Ratio
	}
	toFio := Verdict{Rate: Comparison{Ratio: stats.NaN}, CPU: Comparison{Ratio: stats.NaN}}
	if row, ok := r.row(fioRow); ok && row.Side.Way == load.ByFio {
		toFio = subject.to(row)
	}
	return summaryTable.Row(name, report.Count(r.figure.rate), report.Count(subject.Rate),
		report.Ratio(published), report.Ratio(toBase), report.Ratio(toFio.Rate.Ratio), report.Ratio(toFio.CPU.Ratio))
}
