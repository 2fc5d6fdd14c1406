package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/report"
)

// row is the result of a case with a number of goroutines. Ratios are of sluice build to go build.
type row struct {
	of         *testCase
	goroutines int
	rate       stats.Number // operations a second of go build
	ratio      stats.Number
	low, high  stats.Number // 95 % interval of ratio
	verdict    stats.Verdict
	cpu, p99   stats.Number
	threads    [2]int // of both builds
}

func newRow(c *testCase, goroutines int, results []*duel.Result) row {
	of := func(figure func(load.Slice) float64) []stats.Number {
		return stats.Ratios(results[1].Series(figure), results[0].Series(figure))
	}
	rates := of(load.Slice.Rate)
	r := row{of: c, goroutines: goroutines, rate: stats.Median(results[0].Series(load.Slice.Rate)), ratio: stats.Median(rates)}
	r.low, r.high = stats.Interval(rates)
	r.verdict = stats.Judge(r.ratio, r.low, r.high, stats.Count(rates))
	r.cpu = stats.Median(of(func(s load.Slice) float64 { return float64(s.CPUPerOp()) }))
	r.p99 = stats.Median(of(func(s load.Slice) float64 { return float64(s.P99) }))
	for i, result := range results {
		r.threads[i] = result.Threads
	}
	return r
}

// write writes the page. Without a file's name it writes to standard output.
func write(o options, rows []row, ways []wayRow, kept keptRows) error {
	var b bytes.Buffer
	on := form(o, machine.Describe(o.measured()).String(), time.Now())
	if len(rows) > 0 {
		writePage(&b, on, rows)
	}
	if len(ways) > 0 {
		writeWays(&b, on, readAhead(o.measured()), ways)
	}
	if len(kept) > 0 {
		writePrograms(&b, machine.Describe(o.measured()).String(), kept.list())
	}
	if o.page == "" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(o.page, b.Bytes(), 0o666)
}

// form returns a table of the conditions under which the page was measured.
func form(o options, machine string, now time.Time) string {
	return fmt.Sprintf(`| | |
|---|---|
| machine | %s |
| date | %s |
| form | databases of %s, %d rounds of %s |
`, machine, now.Format(time.DateOnly), report.Bytes(int64(o.size)), o.rounds, o.time)
}

func writePage(w io.Writer, form string, rows []row) {
	fmt.Fprintf(w, `# databases: what sluice build gives to databases that do not know it

One program for each case, built by go build and by sluice build, unchanged. New processes of both take turns; a figure
is the median over the rounds. Ratios are of sluice build to go build: more operations are better, and less processor time, and a
shorter p99. The processes have memory for a quarter of a database that is read, with the page cache. This page is
written by `+"`make databases`"+`.

%s
| case | module | an operation | goroutines | a second | ratio | 95 %% | verdict | CPU | p99 | threads |
|---|---|---|---|---|---|---|---|---|---|---|
`, form)
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %s | %s | %d | %s | %s | %s-%s | %s | %s | %s | %d, %d |\n", r.of.name, r.of.module, r.of.does,
			r.goroutines, report.Count(r.rate), report.Ratio(r.ratio), report.Ratio(r.low), report.Ratio(r.high), r.verdict,
			report.Ratio(r.cpu), report.Ratio(r.p99), r.threads[0], r.threads[1])
	}
	fmt.Fprint(w, "\nWhy:\n\n")
	var last *testCase
	for _, r := range rows {
		if r.of != last {
			fmt.Fprintf(w, "- %s: %s.\n", r.of.name, r.of.why)
		}
		last = r.of
	}
}
