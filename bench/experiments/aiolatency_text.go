package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// aioTable has a row for each scheduler and engine.
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

// head returns the lines over the table.
func (r *AIOResult) head(rounds int) string {
	text := fmt.Sprintf("%s: %d writes of %d bytes, O_DIRECT, queued at once", AIOLatency, r.Writes, r.Disk.Size)
	text = report.Wrap(text) + report.Wrap(fmt.Sprintf("%d rounds, in turn; on %s", rounds, r.Disk.What))
	if r.Disk.Note != "" {
		text += report.Wrap(r.Disk.Note)
	}
	return text + "\n" + aioTable.Header()
}

// SchedulerName returns a readable name of a scheduler. A file has none: its name is "as it is".
func SchedulerName(name string) string {
	if name == "" {
		return "as it is"
	}
	return name
}

func (r AIORow) text() string {
	scheduler := SchedulerName(r.Scheduler)
	if r.Unsupported != "" {
		return aioTable.Row(scheduler, string(r.Engine), "n/a")
	}
	us := func(n stats.Number) string { return report.Micros(time.Duration(n)) }
	return aioTable.Row(scheduler, string(r.Engine), report.Micros(time.Duration(r.All/1e3)), report.Count(r.Batch),
		us(r.Submit), us(r.Longest), us(r.First), us(r.Latency))
}

// notes returns the lines under the table.
func (r *AIOResult) notes() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, row := range r.Rows {
		if row.Unsupported != "" && row.Scheduler == r.Rows[0].Scheduler {
			b.WriteString(report.Wrap(string(row.Engine) + " is not available here: " + row.Unsupported))
		}
	}
	if len(r.Disk.Schedulers) == 0 {
		b.WriteString(report.Wrap("a file has no I/O scheduler of its own; run as root to compare all of them on a loop device"))
	}
	if len(r.Rows) > 0 && r.Rows[0].Round != nil {
		b.WriteString(plotBurst(r.Rows[0]) + "\n")
	}
	b.WriteString(report.Wrap("published (" + r.Source + "): " + r.Finding))
	b.WriteString(report.Wrap("here: " + r.Verdict))
	b.WriteString("\n")
	return b.String()
}
