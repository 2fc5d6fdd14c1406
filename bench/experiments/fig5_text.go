package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// fig5Table has a row for each size and side.
var fig5Table = report.Table{
	{Head: "bytes", Width: 7, Align: report.Right},
	{Head: "side", Width: 12},
	{Head: "us a\nread", Width: 7, Align: report.Right},
	{Head: "of which in", Width: 48},
}

func fig5Head(l load.Load) string {
	title := "a buffered file that is not cached"
	if l.Kind.Direct() {
		title = "O_DIRECT, sizes rounded up to the sector"
	}
	return "\n" + report.Wrap(fmt.Sprintf("%d goroutines, %s", l.Goroutines, title)) + "\n" + fig5Table.Header()
}

// text returns the rows of a size.
func (r Fig5Row) text() string {
	var b strings.Builder
	for i, s := range r.Sides {
		size, total := "", report.Micros(time.Duration(s.PerOp))
		if i == 0 {
			size = strconv.Itoa(r.Size)
		}
		if s.PerOp.IsNaN() {
			total = "n/a"
		}
		indent := fig5Table.Width() - fig5Table[len(fig5Table)-1].Width
		start := strings.TrimSuffix(fig5Table.Row(size, s.Side.Name, total, "x"), "x\n")
		b.WriteString(strings.TrimRight(report.Hang(start, strings.Repeat(" ", indent), s.stack()), " \n") + "\n")
	}
	return b.String()
}

// mentioned is the smallest part of a read's time in system calls for a call to be listed.
const mentioned = 0.01

// stack lists the calls of a read, the longest first, and the calls that are made once for a
// context.
func (s Fig5Side) stack() string {
	calls := slices.SortedStableFunc(slices.Values(s.Calls), func(a, b SyscallTime) int { return cmp.Compare(b.PerOp, a.PerOp) })
	var read, once []string
	for _, c := range calls {
		switch {
		case c.Once:
			once = append(once, c.Name+" "+report.Micros(time.Duration(c.Mean)))
		case c.PerOp >= mentioned*s.PerOp:
			read = append(read, c.Name+" "+report.Micros(time.Duration(c.PerOp)))
		}
	}
	text := strings.Join(read, ", ")
	if len(once) > 0 {
		text += "; a context: " + strings.Join(once, ", ")
	}
	return text
}

// notes returns the lines under the tables.
func (r *Fig5Result) notes() string {
	var b strings.Builder
	b.WriteString("\n")
	seen := map[string]bool{}
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			if line := s.Side.Name + " is not available here: " + s.Unsupported; s.Unsupported != "" && !seen[line] {
				seen[line] = true
				b.WriteString(report.Wrap(line))
			}
		}
	}
	b.WriteString(report.Wrap("published (" + r.Source + "): " + r.Finding))
	b.WriteString(report.Wrap("here: " + r.Verdict))
	b.WriteString("\n")
	return b.String()
}

// The words of the finding in figures.
const (
	// A call grows if the largest requests take this many times as long as the smallest.
	grows  = 3
	blocks = 0.5 // io_submit blocks if it has more than this part of the time in system calls
)

// fig5Verdict returns whether the finding holds for AIO as the paper used it.
func fig5Verdict(rows []Fig5Row) string {
	small, large, direct := paperEnds(rows)
	submit := large.call("io_submit").Mean
	growth := submit / small.call("io_submit").Mean
	share, directShare := submitShare(large), submitShare(direct)
	if growth.IsNaN() {
		return "undecided without Linux AIO and a page cache that can be dropped."
	}
	text := fmt.Sprintf("io_submit takes %s times as long for the largest reads as for the smallest, and %s of their time; ",
		report.Ratio(growth), report.Percent(share))
	if directShare.IsNaN() {
		text += "O_DIRECT is not available"
	} else {
		text += "with O_DIRECT it is " + report.Percent(directShare)
	}
	return fig5Holds(growth, share, directShare) + ": " + text + "; " + othersFlat(small, large) + "."
}

// fig5Holds returns whether the finding holds, or else the parts that fail.
func fig5Holds(growth, share, directShare stats.Number) string {
	var not []string
	if growth < grows {
		not = append(not, "io_submit does not grow")
	}
	if share <= blocks {
		not = append(not, "io_submit does not block")
	}
	if directShare > blocks {
		not = append(not, "io_submit blocks with O_DIRECT")
	}
	if len(not) > 0 {
		return "it does not hold (" + strings.Join(not, ", ") + ")"
	}
	return "it still holds"
}

// paperEnds returns three results of the paper's AIO with two goroutines: the smallest and the
// largest buffered reads, and the largest direct reads.
func paperEnds(rows []Fig5Row) (small, large, direct Fig5Side) {
	small.PerOp = stats.NaN
	for _, r := range rows {
		switch {
		case r.Goroutines != fig5Goroutines:
		case r.Kind.Direct():
			direct = r.Sides[0]
		case len(small.Calls) == 0:
			small, large = r.Sides[0], r.Sides[0]
		default:
			large = r.Sides[0]
		}
	}
	return small, large, direct
}

// submitShare returns the part of a read's time in system calls that io_submit takes.
func submitShare(s Fig5Side) stats.Number { return s.call("io_submit").PerOp / s.PerOp }

// othersFlat returns the other calls that take longer for larger requests.
func othersFlat(small, large Fig5Side) string {
	var grown []string
	for _, name := range []string{"io_setup", "io_getevents", "io_destroy"} {
		if large.call(name).Mean > grows*small.call(name).Mean {
			grown = append(grown, name)
		}
	}
	if len(grown) > 0 {
		return strings.Join(grown, " and ") + ": not flat"
	}
	return "the others are flat"
}
