package experiments

import (
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// fig6 repeats figure 6, which is figure 4 with O_DIRECT. The authors measured one goroutine and
// did not try AIO with many; fig6 has up to 64. Sizes are rounded up to the sector, so the smallest
// request is four times as large as in figure 4.
var fig6 = callFigure{
	name:    "fig6",
	summary: "time for a read with O_DIRECT to return, 1 to 64 goroutines",
	source:  attempt2017 + ", figure 6",
	title:   "time for ReadAt to return; O_DIRECT, sizes rounded up to the sector",
	finding: "with O_DIRECT the results are encouraging: AIO no longer blocks, and costs about what a blocking call does.",
	loads:   fig6Loads,
	verdict: fig6Verdict,
}.experiment()

// sector is a size and alignment that O_DIRECT accepts on every device.
const sector = 4096

// fig6Loads returns every size with 1 and 64 goroutines. --full adds the numbers between.
func fig6Loads(p Params) []load.Load {
	goroutines := []int{1, 64}
	if p.Full {
		goroutines = []int{1, 2, 4, 8, 16, 32, 64}
	}
	var loads []load.Load
	for _, n := range goroutines {
		for _, size := range fig4Sizes {
			size = (size + sector - 1) / sector * sector
			loads = append(loads, load.Load{Kind: load.ReadDirect, Size: size, Goroutines: n})
		}
	}
	return loads
}

// encouraging is the finding's word as a figure: with one goroutine, AIO takes at most this
// multiple of os.File's time.
const encouraging = 1.25

// fig6Verdict returns whether the finding holds for AIO as the paper used it, with one goroutine.
// It adds the result of sluice with many.
func fig6Verdict(rows []CallRow) string {
	many := fig6Many(rows)
	worst := rows[0]
	for _, r := range rows {
		if r.Goroutines == rows[0].Goroutines && r.at(load.ByPaper, "").Ratio > worst.at(load.ByPaper, "").Ratio {
			worst = r
		}
	}
	ratio := worst.at(load.ByPaper, "").Ratio
	if ratio.IsNaN() {
		return "undecided without O_DIRECT and Linux AIO; " + many
	}
	verdict := "it still holds"
	if ratio > encouraging {
		verdict = "it does not hold"
	}
	return fmt.Sprintf("%s: with one goroutine AIO takes at most %s times os.File's time (at %d bytes); %s",
		verdict, report.Ratio(ratio), worst.Size, many)
}

// fig6Many compares the first available driver of sluice with os.File, for the smallest size and
// the most goroutines.
func fig6Many(rows []CallRow) string {
	row := rows[0]
	for _, r := range rows {
		if r.Size == rows[0].Size && r.Goroutines > row.Goroutines {
			row = r
		}
	}
	files := row.Calls[0]
	for _, c := range row.Calls { // uring, aio, pool: best first
		if c.Side.Way == load.BySluice && c.Unsupported == "" {
			return fmt.Sprintf("with %d, %s takes %s us where os.File takes %s (%d bytes), on %d threads instead of %d.",
				row.Goroutines, c.Side.Name, report.Micros(time.Duration(c.Mean)), report.Micros(time.Duration(files.Mean)),
				row.Size, c.Threads, files.Threads)
		}
	}
	return "sluice has no driver for it here."
}
