package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/burst"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// What the words of the finding mean.
const (
	inBatches     = 2    // writes at least complete together
	hardlyMatters = 1.25 // times the fastest scheduler's time is the slowest's at most
	blockedTimes  = 20   // times the median is a call that blocks
)

// aioVerdict says of each part of the finding what has become of it with AIO,
// and what io_uring makes of the same.
func aioVerdict(rows []AIORow) string {
	var aio, uring []AIORow
	for _, r := range rows {
		switch {
		case r.Unsupported != "":
		case r.Engine == burst.AIO:
			aio = append(aio, r)
		default:
			uring = append(uring, r)
		}
	}
	if len(aio) == 0 {
		return "cannot be told without Linux AIO."
	}
	parts := []string{batchVerdict(aio[0]), schedulerVerdict(aio), blockVerdict(aio), firstVerdict(aio[0])}
	if len(uring) > 0 {
		parts = append(parts, fmt.Sprintf("io_uring takes %s times AIO's time, its longest submit %s us",
			report.Ratio(uring[0].All/aio[0].All), micros(longest(uring).Longest)))
	}
	return strings.Join(parts, "; ") + "."
}

func micros(n stats.Number) string { return report.Micros(time.Duration(n)) }

// batchVerdict is on the scheduler that the device has.
func batchVerdict(r AIORow) string {
	verdict := "in batches: it does not hold"
	if r.Batch >= inBatches {
		verdict = "in batches: it still holds"
	}
	return fmt.Sprintf("%s, %s writes complete together", verdict, report.Count(r.Batch))
}

func schedulerVerdict(rows []AIORow) string {
	slow, fast := rows[0], rows[0]
	for _, r := range rows {
		if r.All > slow.All {
			slow = r
		}
		if r.All < fast.All {
			fast = r
		}
	}
	if len(rows) == 1 {
		return "the scheduler: cannot be told with one"
	}
	verdict := "it still holds that it hardly matters"
	if slow.All > hardlyMatters*fast.All {
		verdict = "it matters"
	}
	return fmt.Sprintf("the scheduler: %s, %s takes %s times the time of %s",
		verdict, slow.Scheduler, report.Ratio(slow.All/fast.All), fast.Scheduler)
}

func blockVerdict(rows []AIORow) string {
	r := longest(rows)
	verdict := "it still blocks"
	if r.Longest < blockedTimes*r.Submit {
		verdict = "it does not block"
	}
	return fmt.Sprintf("io_submit: %s, at most for %s us where the median is %s", verdict, micros(r.Longest), micros(r.Submit))
}

// longest returns the row with the longest submit.
func longest(rows []AIORow) AIORow {
	most := rows[0]
	for _, r := range rows {
		if r.Longest > most.Longest {
			most = r
		}
	}
	return most
}

// publishedFirst is the least that the first write of a batch took.
const publishedFirst = 30 * time.Millisecond

func firstVerdict(r AIORow) string {
	verdict := "not 30 ms any more"
	if r.First >= stats.Number(publishedFirst) {
		verdict = "still 30 ms and more"
	}
	return fmt.Sprintf("the first write of a batch takes %s us, %s", micros(r.First), verdict)
}
