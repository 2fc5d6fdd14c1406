package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// What was published, and the rules by which a part of it holds here.
const (
	PublishedBatch     = 30 // writes complete together
	leastBatch         = PublishedBatch / 2
	mostBatch          = PublishedBatch * 2
	hardlyMatters      = 1.25                   // times the fastest scheduler's time is the slowest's at most
	blockedTimes       = 20                     // times the median is a call that blocks,
	blockedLeast       = 100 * time.Microsecond // and longer than an interrupt
	PublishedFirstLow  = 30 * time.Millisecond  // the first write of a batch takes
	PublishedFirstHigh = 60 * time.Millisecond
)

// part is what has become of a part of the finding. A part that cannot be told
// here is neither.
type part struct {
	holds, told bool
	text        string
}

// aioVerdict says of each part of the finding what has become of it with AIO,
// and what io_uring makes of the same.
func aioVerdict(rows []AIORow) string {
	aio, uring := byEngine(rows, burst.AIO), byEngine(rows, burst.Uring)
	if len(aio) == 0 {
		return "cannot be told without Linux AIO."
	}
	holds, told := 0, 0
	var texts []string
	for _, p := range []part{batchPart(aio), schedulerPart(aio), blockPart(aio), firstPart(aio)} {
		if p.told {
			told++
		}
		if p.holds {
			holds++
		}
		texts = append(texts, p.text)
	}
	if len(uring) > 0 {
		texts = append(texts, fmt.Sprintf("io_uring takes %s times AIO's time, %s writes complete together, its longest submit %s us",
			report.Ratio(uring[0].All/aio[0].All), report.Count(uring[0].Batch), micros(longest(uring).Longest)))
	}
	return fmt.Sprintf("%s of the finding: %s.", share(holds, told), strings.Join(texts, "; "))
}

// byEngine returns the rows of an engine, those that were measured.
func byEngine(rows []AIORow, e burst.Engine) []AIORow {
	var of []AIORow
	for _, r := range rows {
		if r.Unsupported == "" && r.Engine == e {
			of = append(of, r)
		}
	}
	return of
}

// share is how much of the finding holds, in words.
func share(holds, told int) string {
	switch holds {
	case told:
		return fmt.Sprintf("it holds in all %d parts", told)
	case 0:
		return fmt.Sprintf("it does not hold in any of %d parts", told)
	}
	return fmt.Sprintf("it holds in %d of %d parts", holds, told)
}

func micros(n stats.Number) string { return report.Micros(time.Duration(n)) }

// verdict begins a part's text.
func verdict(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// batchPart is on the scheduler that the device has, which is the first, and
// names the others.
func batchPart(rows []AIORow) part {
	n := rows[0].Batch
	p := part{told: true, holds: n >= leastBatch && n <= mostBatch}
	p.text = fmt.Sprintf("batches: %s, the median batch has %s writes (published: about %d; rule: %d to %d)",
		verdict(p.holds), report.Count(n), PublishedBatch, leastBatch, mostBatch)
	var others []string
	for _, r := range rows[1:] {
		others = append(others, fmt.Sprintf("%s with %s", report.Count(r.Batch), r.Scheduler))
	}
	if len(others) > 0 {
		p.text += ", " + strings.Join(others, ", ")
	}
	p.text += "; half of all writes come in batches of " + report.Count(rows[0].Half) + " and more"
	return p
}

func schedulerPart(rows []AIORow) part {
	if len(rows) == 1 {
		return part{text: "the scheduler: cannot be told with one"}
	}
	slow, fast := rows[0], rows[0]
	for _, r := range rows {
		if r.All > slow.All {
			slow = r
		}
		if r.All < fast.All {
			fast = r
		}
	}
	p := part{told: true, holds: slow.All <= hardlyMatters*fast.All}
	p.text = fmt.Sprintf("that the scheduler hardly matters: %s, %s takes %s times the time of %s (rule: at most %s)",
		verdict(p.holds), slow.Scheduler, report.Ratio(slow.All/fast.All), fast.Scheduler, report.Ratio(hardlyMatters))
	return p
}

func blockPart(rows []AIORow) part {
	r := longest(rows)
	p := part{told: true, holds: r.Longest >= blockedTimes*r.Submit && r.Longest >= stats.Number(blockedLeast)}
	p.text = fmt.Sprintf("that io_submit blocks: %s, the longest takes %s us and the median %s (rule: %d times the median, and %s us)",
		verdict(p.holds), micros(r.Longest), micros(r.Submit), blockedTimes, micros(stats.Number(blockedLeast)))
	if r.Scheduler != "" {
		p.text += ", with " + r.Scheduler
	}
	return p
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

func firstPart(rows []AIORow) part {
	first := rows[0].First
	p := part{told: true, holds: first >= stats.Number(PublishedFirstLow) && first <= stats.Number(PublishedFirstHigh)}
	p.text = fmt.Sprintf("the first write of a batch: %s, it takes %s ms (published, and rule: %s to %s ms)",
		verdict(p.holds), report.Micros(time.Duration(first/1e3)), report.Count(PublishedFirstLow.Seconds()*1e3), report.Count(PublishedFirstHigh.Seconds()*1e3))
	return p
}
