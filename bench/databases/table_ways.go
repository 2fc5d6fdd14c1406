package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// wayRow is the result of a way to read. Ratios are to the first way of the case.
type wayRow struct {
	of               *testCase
	goroutines       int
	way              string
	rate             stats.Number // operations a second
	ratio, low, high stats.Number
	verdict          stats.Verdict
	cpu              stats.Number // ratio
	p50, p99, p999   time.Duration
	late, latest     time.Duration // of a goroutine that only sleeps: the median and the longest
	threads          int
}

func newWayRows(c *testCase, goroutines int, results []*duel.Result) (rows []wayRow) {
	for _, result := range results {
		ratios := func(figure func(load.Slice) float64) []stats.Number {
			return stats.Ratios(result.Series(figure), results[0].Series(figure))
		}
		median := func(figure func(load.Slice) time.Duration) time.Duration {
			return time.Duration(stats.Median(result.Series(func(s load.Slice) float64 { return float64(figure(s)) })))
		}
		rates := ratios(load.Slice.Rate)
		r := wayRow{
			of: c, goroutines: goroutines, way: result.Side.Name, threads: result.Threads,
			rate:   stats.Median(result.Series(load.Slice.Rate)),
			ratio:  stats.Median(rates),
			cpu:    stats.Median(ratios(func(s load.Slice) float64 { return float64(s.CPUPerOp()) })),
			p50:    median(func(s load.Slice) time.Duration { return s.P50 }),
			p99:    median(func(s load.Slice) time.Duration { return s.P99 }),
			p999:   median(func(s load.Slice) time.Duration { return s.P999 }),
			late:   median(func(s load.Slice) time.Duration { return s.LateP50 }),
			latest: median(func(s load.Slice) time.Duration { return s.LateMax }),
		}
		r.low, r.high = stats.Interval(rates)
		r.verdict = stats.Judge(r.ratio, r.low, r.high, stats.Count(rates))
		rows = append(rows, r)
	}
	return rows
}

// interval returns the row's interval and verdict. The first way has none, because the
// other ways are compared with it.
func (r wayRow) interval() string {
	if r.way == r.of.sides[0].Name {
		return "| |"
	}
	return fmt.Sprintf("%s-%s | %s |", report.Ratio(r.low), report.Ratio(r.high), r.verdict)
}

// writeWays writes the page of cases that compare ways to read.
func writeWays(w io.Writer, form, readAhead string, rows []wayRow) {
	fmt.Fprintf(w, `# Prometheus: queries through mapped memory, and through package mapped

Prometheus reads its files of chunks through memory that is mapped (mmap(2)). A page that is not in memory is a page fault, in which a
processor of the Go runtime stands still. This page compares that with package mapped. Prometheus is not changed: the option
BlockQuerierFunc of its database takes another reader of chunks ([prometheus_chunks.go](../../bench/databases/prometheus_chunks.go)).

- **mmap, MADV_RANDOM**: that reader over mapped memory, which it touches. Ratios are to this one.
- **package mapped**: that reader, which asks mapped.Mapping.Load for the memory.
- **os.File.ReadAt**: that reader, which copies each chunk from the page cache; a thread waits for each read.
- **Prometheus' own mmap**: Prometheus without another reader. It does not give the kernel advice, so a page fault reads
  around the page as much as the device's read-ahead says: %s here.

The ways take turns, each round in a new process; a figure is the median over the rounds. Each process has memory for
a quarter of the database, with the page cache, which is full when the measurement begins; the indexes are kept in it (mlock(2)).
It checks each sample that it gets. Late is how late a goroutine wakes that
only sleeps for 1 ms at a time: the median, and the longest. This page is written by `+"`make databases-mapped`"+`.

%s
| case | goroutines | chunks are read by | a second | ratio | 95 %% | verdict | CPU | p50 | p99 | p99.9 | threads | late | longest |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`, readAhead, form)
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s %s | %s | %s | %s | %d | %s | %s |\n", r.of.name, r.goroutines, r.way,
			report.Count(r.rate), report.Ratio(r.ratio), r.interval(), report.Ratio(r.cpu),
			micros(r.p50), micros(r.p99), micros(r.p999), r.threads, micros(r.late), micros(r.latest))
	}
	fmt.Fprint(w, "\nWhat an operation is, and why it gains or does not:\n\n")
	var last *testCase
	for _, r := range rows {
		if r.of != last {
			fmt.Fprintf(w, "- %s: %s. %s.\n", r.of.name, r.of.does, r.of.why)
		}
		last = r.of
	}
}

// readAhead returns the read-ahead of a directory's device, in words.
func readAhead(dir string) string {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return "unknown"
	}
	name := fmt.Sprintf("/sys/dev/block/%d:%d/bdi/read_ahead_kb", unix.Major(st.Dev), unix.Minor(st.Dev))
	text, err := os.ReadFile(name)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text)) + " KiB"
}

// micros returns a time with its significant digits.
func micros(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
