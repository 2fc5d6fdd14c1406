package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

var fairTable = report.Table{
	{Head: "side", Width: 18},
	{Head: "", Width: 16},
	{Head: "reads/s", Width: 8, Align: report.Right},
	{Head: "p50\nus", Width: 7, Align: report.Right},
	{Head: "p99\nus", Width: 7, Align: report.Right},
	{Head: "flood\nMB/s", Width: 7, Align: report.Right},
}

func (r *FairResult) head(p Params) string {
	return report.Wrap(fmt.Sprintf("fair: random reads of 4 KiB by %d goroutines, beside a flood of reads of 1 MiB by %d; O_DIRECT",
		fairGoroutines, floodReaders)) +
		report.Wrap(fmt.Sprintf("%d rounds of %s, in turn; file of %s", r.Rounds, r.SliceTime, report.Bytes(p.FileSize))) +
		"\n" + fairTable.Header()
}

func (r *FairResult) text() string {
	var b strings.Builder
	for _, row := range r.Rows {
		b.WriteString(row.text())
	}
	b.WriteString("\n")
	for _, v := range r.Verdicts {
		b.WriteString(report.Wrap(v))
	}
	return b.String() + "\n"
}

func (r FairRow) text() string {
	if r.Unsupported != "" {
		return report.Hang("", "  ", r.Side.Name+", "+r.cell()+": n/a, "+r.Unsupported)
	}
	flood := "-"
	if !r.Flood.IsNaN() {
		flood = report.Count(r.Flood / 1e6)
	}
	return fairTable.Row(r.Side.Name, r.cell(), report.Count(r.Rate),
		report.Micros(time.Duration(r.P50)), report.Micros(time.Duration(r.P99)), flood)
}

// fairVerdicts returns each target, and whether it was reached.
func fairVerdicts(rows []FairRow) []string {
	find := func(side, cell string) FairRow {
		for _, r := range rows {
			if r.Side.Name == side && r.cell() == cell {
				return r
			}
		}
		panic("experiments: fair has no row " + side + ", " + cell)
	}
	ratio := func(a, b []stats.Number) stats.Number { return stats.Median(stats.Ratios(a, b)) }
	beside := find(classesRow, "beside the flood")
	slower := ratio(beside.p99s(), find(classesRow, "alone").p99s())
	ofOS := ratio(beside.p99s(), find("os.File", "beside the flood").p99s())
	kept := ratio(find(classesRow, "the flood alone").floods(), find(noClassesRow, "the flood alone").floods())
	if slower.IsNaN() || ofOS.IsNaN() || kept.IsNaN() {
		return []string{"undecided without O_DIRECT and a driver."}
	}
	if n := len(beside.Rounds); tooFew(n) {
		return []string{noVerdict(n) + fmt.Sprintf(": with classes the p99 beside the flood is %s times that alone, and %s times os.File's.",
			report.Ratio(slower), report.Ratio(ofOS))}
	}
	return []string{
		reached(slower <= fairSlower) + fmt.Sprintf(": with classes the p99 beside the flood is %s times that alone (%d at most).",
			report.Ratio(slower), fairSlower),
		reached(ofOS <= fairOfOS) + fmt.Sprintf(": it is %s times os.File's beside the flood (%g at most).", report.Ratio(ofOS), fairOfOS),
		reached(kept >= fairKept) + fmt.Sprintf(": while the foreground is idle, the flood in its class has %s times the bandwidth without classes (%g at least).",
			report.Ratio(kept), fairKept),
	}
}
