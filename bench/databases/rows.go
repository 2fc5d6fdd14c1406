package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// keptRow is a row in the file of rows.
type keptRow struct {
	Case       string       `json:"case"`
	Goroutines int          `json:"goroutines"`
	Date       string       `json:"date"`
	Form       string       `json:"form"`
	Rate       stats.Number `json:"rate"` // operations a second of go build
	Ratio      stats.Number `json:"ratio"`
	Low        stats.Number `json:"low"`
	High       stats.Number `json:"high"`
	CPU        stats.Number `json:"cpu"`
	P99        stats.Number `json:"p99"`
	Threads    [2]int       `json:"threads"`
}

// keptRows are the rows by case and goroutines.
type keptRows map[string]keptRow

func rowKey(name string, goroutines int) string { return fmt.Sprintf("%s/%d", name, goroutines) }

// readRows reads a file of rows. Without a file there are none.
func readRows(name string) (keptRows, error) {
	text, err := os.ReadFile(name)
	if name == "" || errors.Is(err, os.ErrNotExist) {
		return keptRows{}, nil
	}
	if err != nil {
		return nil, err
	}
	var k keptRows
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return k, nil
}

// set replaces a row.
func (k keptRows) set(r row, o options) {
	form := report.Bytes(int64(o.size))
	if r.of.fill != nil && r.of.command == nil {
		form += ", " + report.Bytes(o.memory(r.of))
	}
	form += fmt.Sprintf(", %s, %d rounds", readAhead(o.measured()), o.rounds)
	if r.of.command == nil {
		form += " of " + o.time.String()
	}
	k[rowKey(r.of.name, r.goroutines)] = keptRow{
		Case: r.of.name, Goroutines: r.goroutines, Date: time.Now().Format(time.DateOnly), Form: form,
		Rate: r.rate, Ratio: r.ratio, Low: r.low, High: r.high, CPU: r.cpu, P99: r.p99, Threads: r.threads,
	}
}

// write writes the rows into a file, if it has a name.
func (k keptRows) write(name string) error {
	if name == "" || len(k) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// list returns the rows in the order of programs.
func (k keptRows) list() (list []keptRow) {
	for _, c := range programs {
		for _, n := range c.goroutines {
			if r, ok := k[rowKey(c.name, n)]; ok {
				list = append(list, r)
			}
		}
	}
	return list
}

// A ratio of at least gain, whose interval is above 1, is a gain; one below loss is a loss.
const (
	gain = 1.03
	loss = 0.97
)

// verdict returns what a row says.
func (r keptRow) verdict() string {
	switch {
	case r.Ratio >= gain && r.Low > 1:
		return "gains"
	case r.Ratio < loss:
		return "loses"
	}
	return "level"
}

// writePrograms writes the page of programs.
func writePrograms(w io.Writer, machine string, rows []keptRow) {
	var dates []string
	for _, r := range rows {
		dates = append(dates, r.Date)
	}
	slices.Sort(dates)
	fmt.Fprintf(w, `# programs: what sluice build gives to programs that are built for disks

Programs of other authors, built by go build and by sluice build, unchanged. New processes of both take turns, and the
order changes each round. A figure is the median over the rounds; ratios are formed within a round, of sluice build to go
build. More operations are better, less processor time, and a shorter p99. This page is written by `+"`make programs`"+`.

- A database's processes begin with a cold page cache. Their memory, with the page cache, is a quarter of the data, and
  128 or 256 MiB more for a program that needs as much for itself. Their clients are goroutines of one process. A case
  that only writes begins with an empty database, and has no limit of memory.
- A command is measured from its start to its end, over files of 16 KB on average. The page cache, names and inodes are
  dropped before each run. An operation is a file, or 16 KB of samples, and there is no p99. There is no limit of memory.
- A row *gains* if its ratio is at least 1.03 and the interval is above 1, *loses* if the ratio is below 0.97, and is
  *level* otherwise.

| | |
|---|---|
| machine | %s |
| date | %s |

| program | an operation | goroutines | a second | ratio | 95 %% | | CPU | p99 | threads | data, memory, read-ahead, rounds |
|---|---|---|---|---|---|---|---|---|---|---|
`, machine, strings.Join(slices.Compact(dates), ", "))
	for _, r := range rows {
		c, err := caseOf(r.Case)
		if err != nil {
			continue // list has rows of known cases alone
		}
		goroutines := fmt.Sprint(r.Goroutines)
		if c.command != nil {
			goroutines = "its own"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s-%s | %s | %s | %s | %d, %d | %s |\n", r.Case, c.does, goroutines,
			report.Count(r.Rate), report.Ratio(r.Ratio), report.Ratio(r.Low), report.Ratio(r.High), r.verdict(),
			report.Ratio(r.CPU), report.Ratio(r.P99), r.Threads[0], r.Threads[1], r.Form)
	}
	fmt.Fprint(w, "\nWhy:\n\n")
	last := ""
	for _, r := range rows {
		if c, err := caseOf(r.Case); err == nil && r.Case != last {
			fmt.Fprintf(w, "- %s (%s): %s.\n", c.name, c.module, c.why)
		}
		last = r.Case
	}
	fmt.Fprint(w, leftOut)
}

// leftOut says what the page does not have.
const leftOut = `
**Left out.** parquet by 64: the program of go build was killed at its limit of 128 MiB. VictoriaMetrics by 64 with
128 MiB: both programs were killed, in 10 and 9 of 10 runs, by their own memory, which is all but 1 MiB of it. At
112 MiB all were killed, and at 160 MiB none. NATS by 32 with 384 MiB: the program of go build was killed. bleve was
not measured: it maps its index, as bbolt does.
Rows of bbolt, SQLite and parquet-ahead had 128 MiB and a read-ahead of 8 MiB, on the disk vda, and so had rclone-check,
without a limit. It was measured beside other programs.
`
