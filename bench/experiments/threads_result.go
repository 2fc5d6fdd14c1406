package experiments

import (
	"fmt"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// ThreadsResult is the result of threads.
type ThreadsResult struct {
	Disk    string       `json:"disk"`
	IOPS    int          `json:"iops"`
	Procs   int          `json:"gomaxprocs"` // of all sides
	Rows    []ThreadsRow `json:"rows"`
	Verdict string       `json:"verdict"`
}

// ThreadsRow is the result of one side with one number of goroutines.
type ThreadsRow struct {
	Load load.Load `json:"load"`
	Side load.Side `json:"side"`
	crowd.Outcome
}

// Points returns a round for each row: its one burst of reads. A row whose process died has no
// round.
func (r *ThreadsResult) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		result := &duel.Result{Side: row.Side, Unsupported: row.Died, Explain: row.Explain, Threads: row.Threads}
		if row.Died == "" {
			result.Rounds = []load.Slice{{
				Ops: float64(row.Load.Goroutines), Elapsed: row.Elapsed, Resident: row.Resident, Buffers: row.Buffers,
			}}
		}
		points = append(points, Point{row.Load.String(), row.Load, result})
	}
	return points
}

var threadsTable = report.Table{
	{Head: "goro-\nutines", Width: 6, Align: report.Right},
	{Head: "reads", Width: 6},
	{Head: "side", Width: 12},
	{Head: "threads", Width: 7, Align: report.Right},
	{Head: "resident", Width: 8, Align: report.Right},
	{Head: "stacks", Width: 8, Align: report.Right},
	{Head: "buffers", Width: 8, Align: report.Right},
	{Head: "s", Width: 6, Align: report.Right},
}

func (r *ThreadsResult) head() string {
	return report.Wrap(fmt.Sprintf("%s: goroutines that each read 4 KiB, all at once; GOMAXPROCS %d", threadsName, r.Procs)) +
		report.Wrap("on "+r.Disk) + "\n" + threadsTable.Header()
}

// Reads returns the word for the row's way to read.
func (r ThreadsRow) Reads() string {
	if r.Load.Kind.Direct() {
		return "direct"
	}
	return "cold"
}

func (r ThreadsRow) text() string {
	row := []string{
		strconv.Itoa(r.Load.Goroutines), r.Reads(), r.Side.Name, countOrNone(r.Threads),
		bytesOrNone(r.Resident), bytesOrNone(r.Stacks), bytesOrNone(r.Buffers), seconds(r.Elapsed),
	}
	if r.Died == "" {
		return threadsTable.Row(row...)
	}
	return threadsTable.Row(row...) + report.Hang("        ", "          ", "died: "+r.Died)
}

func seconds(d time.Duration) string { return report.Count(stats.Number(d.Seconds())) }

func (r *ThreadsResult) notes() string { return "\n" + report.Wrap(r.Verdict) + "\n" }

// worst returns the row that decides about a target: the row with more goroutines, else the row
// whose process died, else the row with more threads.
func worst(a, b ThreadsRow) ThreadsRow {
	switch {
	case a.Load.Goroutines != b.Load.Goroutines:
		if a.Load.Goroutines > b.Load.Goroutines {
			return a
		}
		return b
	case a.Died != "" || b.Died == "" && a.Threads > b.Threads:
		return a
	}
	return b
}

// verdict returns whether the rows with the most goroutines reached the targets.
func (r *ThreadsResult) verdict() string {
	var files, ours ThreadsRow
	for _, row := range r.Rows {
		if row.Side.Way == load.ByOS {
			files = worst(files, row)
		} else {
			ours = worst(ours, row)
		}
	}
	end := "os.File survives"
	if files.Died != "" {
		end = "os.File dies"
	}
	if ours.Died != "" {
		return fmt.Sprintf("with %d goroutines %s, and sluice dies: missed", ours.Load.Goroutines, end)
	}
	most, bound := MostThreads(r.Procs)
	return fmt.Sprintf("with %d goroutines %s; sluice takes %d threads (%s: %s) and %s over the goroutines' own stacks and buffers (under %s: %s)",
		ours.Load.Goroutines, end, ours.Threads, bound, reached(ours.Threads <= most),
		report.Bytes(ours.Over()), report.Bytes(MemoryOver), reached(ours.Over() < MemoryOver))
}
