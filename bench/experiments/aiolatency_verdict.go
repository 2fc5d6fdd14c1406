package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// The published figures, and the limits by which each part of the finding holds here.
const (
	PublishedBatch = 30 // writes that complete together
	leastBatch     = PublishedBatch / 2
	mostBatch      = PublishedBatch * 2
	// Schedulers hardly matter if the slowest takes at most this multiple of the fastest's time.
	hardlyMatters = 1.25
	// A call that blocks takes at least blockedTimes the median and at least blockedLeast, which is
	// more than the delay of an interrupt.
	blockedTimes       = 20
	blockedLeast       = 100 * time.Microsecond
	PublishedFirstLow  = 30 * time.Millisecond // the latency of the first write of a batch
	PublishedFirstHigh = 60 * time.Millisecond
)

// part is the verdict on one part of the finding. known is false if this machine cannot show that
// part.
type part struct {
	holds, known bool
	text         string
}

// aioVerdict returns whether each part of the finding holds with AIO, and how io_uring compares.
func aioVerdict(rows []AIORow) string {
	aio, uring := byEngine(rows, burst.AIO), byEngine(rows, burst.Uring)
	if len(aio) == 0 {
		return "undecided without Linux AIO."
	}
	holds, known := 0, 0
	var texts []string
	for _, p := range []part{batchPart(aio), schedulerPart(aio), blockPart(aio), firstPart(aio)} {
		if p.known {
			known++
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
	return fmt.Sprintf("%s of the finding: %s.", howMuch(holds, known), strings.Join(texts, "; "))
}

// byEngine returns the rows of an engine that were measured.
func byEngine(rows []AIORow, e burst.Engine) []AIORow {
	var of []AIORow
	for _, r := range rows {
		if r.Unsupported == "" && r.Engine == e {
			of = append(of, r)
		}
	}
	return of
}

// howMuch returns how much of the finding holds, in words.
func howMuch(holds, known int) string {
	switch holds {
	case known:
		return fmt.Sprintf("it holds in all %d parts", known)
	case 0:
		return fmt.Sprintf("it does not hold in any of %d parts", known)
	}
	return fmt.Sprintf("it holds in %d of %d parts", holds, known)
}

func micros(n stats.Number) string { return report.Micros(time.Duration(n)) }

// verdict returns the word that begins the text of a part.
func verdict(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// batchPart decides by the first row, which is under the device's own scheduler. It mentions the
// other rows.
func batchPart(rows []AIORow) part {
	n := rows[0].Batch
	p := part{known: true, holds: n >= leastBatch && n <= mostBatch}
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
		return part{text: "the scheduler: undecided, as there is only one"}
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
	p := part{known: true, holds: slow.All <= hardlyMatters*fast.All}
	p.text = fmt.Sprintf("that the scheduler hardly matters: %s, %s takes %s times the time of %s (rule: at most %s)",
		verdict(p.holds), slow.Scheduler, report.Ratio(slow.All/fast.All), fast.Scheduler, report.Ratio(hardlyMatters))
	return p
}

func blockPart(rows []AIORow) part {
	r := longest(rows)
	p := part{known: true, holds: r.Longest >= blockedTimes*r.Submit && r.Longest >= stats.Number(blockedLeast)}
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
	p := part{known: true, holds: first >= stats.Number(PublishedFirstLow) && first <= stats.Number(PublishedFirstHigh)}
	p.text = fmt.Sprintf("the first write of a batch: %s, it takes %s ms (published, and rule: %s to %s ms)",
		verdict(p.holds), report.Micros(time.Duration(first/1e3)), report.Count(PublishedFirstLow.Seconds()*1e3), report.Count(PublishedFirstHigh.Seconds()*1e3))
	return p
}
