package experiments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/blockdev"
	"github.com/sluiceio/sluice/cmd/sluice/internal/burst"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// AIORow is one engine under one scheduler. Figures are medians of the rounds,
// in nanoseconds where they are times.
type AIORow struct {
	Scheduler   string       `json:"scheduler"` // "" where it cannot be told
	Engine      burst.Engine `json:"engine"`
	Unsupported string       `json:"unsupported,omitempty"`
	Rounds      int          `json:"rounds"`

	All     stats.Number `json:"all_ns"`             // from the first write queued until the last is taken
	Batch   stats.Number `json:"writes_per_batch"`   // that complete together
	Submit  stats.Number `json:"submit_ns"`          // of the calls that queue a write, the median
	Longest stats.Number `json:"longest_submit_ns"`  // of them, the longest
	First   stats.Number `json:"first_in_batch_ns"`  // latency of the first write of a batch, the median
	Latency stats.Number `json:"latency_ns"`         // of all writes, the median
	Worst   stats.Number `json:"longest_latency_ns"` // of all writes, the longest
	// Round is the round of the median time, whole: for pictures.
	Round *burst.Result `json:"round,omitempty"`
}

func newAIORow(scheduler string, e burst.Engine, rounds []*burst.Result) AIORow {
	of := func(figure func(*burst.Result) stats.Number) stats.Number {
		v := make([]stats.Number, len(rounds))
		for i, r := range rounds {
			v[i] = figure(r)
		}
		return stats.Median(v)
	}
	row := AIORow{
		Scheduler: scheduler, Engine: e, Rounds: len(rounds),
		All:     of(func(r *burst.Result) stats.Number { return stats.Number(r.All()) }),
		Batch:   of(func(r *burst.Result) stats.Number { return stats.Number(len(r.Queued)) / stats.Number(len(r.Batches)) }),
		Submit:  of(func(r *burst.Result) stats.Number { return stats.Median(numbers(r.Submit)) }),
		Longest: of(func(r *burst.Result) stats.Number { return stats.Number(slices.Max(r.Submit)) }),
		First:   of(func(r *burst.Result) stats.Number { return stats.Median(numbers(firsts(r))) }),
		Latency: of(func(r *burst.Result) stats.Number { return stats.Median(numbers(latencies(r))) }),
		Worst:   of(func(r *burst.Result) stats.Number { return stats.Number(slices.Max(latencies(r))) }),
	}
	if len(rounds) > 0 {
		sorted := slices.SortedFunc(slices.Values(rounds), func(a, b *burst.Result) int { return int(a.All() - b.All()) })
		row.Round = sorted[len(sorted)/2]
	}
	return row
}

func numbers(times []time.Duration) []stats.Number {
	v := make([]stats.Number, len(times))
	for i, t := range times {
		v[i] = stats.Number(t)
	}
	return v
}

// firsts returns the latency of the first write of each batch.
func firsts(r *burst.Result) []time.Duration {
	v := make([]time.Duration, len(r.Batches))
	for i, b := range r.Batches {
		v[i] = r.Latency(b.First)
	}
	return v
}

func latencies(r *burst.Result) []time.Duration {
	v := make([]time.Duration, len(r.Queued))
	for i := range v {
		v[i] = r.Latency(i)
	}
	return v
}

// schedulersOf returns the schedulers to measure, that which was found first:
// only that where others cannot be set.
func schedulersOf(a blockdev.About) []string {
	all := []string{a.Scheduler}
	for _, s := range a.Schedulers {
		if s != a.Scheduler && a.Scheduler != "" {
			all = append(all, s)
		}
	}
	return all
}

// aioTable has a row a scheduler and engine.
var aioTable = report.Table{
	{Head: "I/O\nscheduler", Width: 11},
	{Head: "engine", Width: 6},
	{Head: "all\nms", Width: 7, Align: report.Right},
	{Head: "writes\na batch", Width: 7, Align: report.Right},
	{Head: "submit\nus", Width: 7, Align: report.Right},
	{Head: "longest\nsubmit us", Width: 9, Align: report.Right},
	{Head: "first of\na batch us", Width: 10, Align: report.Right},
	{Head: "latency\nus", Width: 8, Align: report.Right},
}

// head returns what precedes the rows.
func (r *AIOResult) head(rounds int) string {
	text := fmt.Sprintf("%s: %d writes of %d bytes, O_DIRECT, queued at once", AIOLatency, r.Writes, r.Disk.Size)
	text = report.Wrap(text) + report.Wrap(fmt.Sprintf("%d rounds, in turn; on %s", rounds, r.Disk.What))
	if r.Disk.Note != "" {
		text += report.Wrap(r.Disk.Note)
	}
	return text + "\n" + aioTable.Header()
}

func (r AIORow) text() string {
	scheduler := r.Scheduler
	if scheduler == "" {
		scheduler = "as it is"
	}
	if r.Unsupported != "" {
		return aioTable.Row(scheduler, string(r.Engine), "n/a")
	}
	us := func(n stats.Number) string { return report.Micros(time.Duration(n)) }
	return aioTable.Row(scheduler, string(r.Engine), report.Micros(time.Duration(r.All/1e3)), report.Count(r.Batch),
		us(r.Submit), us(r.Longest), us(r.First), us(r.Latency))
}

// notes returns what follows the rows.
func (r *AIOResult) notes() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, row := range r.Rows {
		if row.Unsupported != "" && row.Scheduler == r.Rows[0].Scheduler {
			b.WriteString(report.Wrap(string(row.Engine) + " is not available here: " + row.Unsupported))
		}
	}
	if len(r.Disk.Schedulers) == 0 {
		b.WriteString(report.Wrap("a file has no I/O scheduler of its own: as root, sluice tries all of them on a loop device"))
	}
	if len(r.Rows) > 0 && r.Rows[0].Round != nil {
		b.WriteString(plotBurst(r.Rows[0]) + "\n")
	}
	b.WriteString(report.Wrap("published (" + r.Source + "): " + r.Finding))
	b.WriteString(report.Wrap("here: " + r.Verdict))
	b.WriteString("\n")
	return b.String()
}
