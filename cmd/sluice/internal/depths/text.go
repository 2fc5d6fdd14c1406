package depths

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/report"
)

// barMost is the number of columns of the longest bar on the usual terminal.
const barMost = 40

// barWidth returns the number of columns of the longest bar that fits the terminal, where a bar
// has a line of its own if that is narrow.
func barWidth() int {
	n := barMost
	for n > 1 && !report.Fits(n+len("  ")) {
		n--
	}
	return n
}

var table = report.Table{
	{Head: "at\nonce", Width: 5, Align: report.Right},
	{Head: "", Width: 8, Align: report.Right},
	{Head: "p50\nus", Width: 7, Align: report.Right},
	{Head: "", Width: barMost},
	{Head: "", Width: 10},
}

// Text returns a curve as a table and bars.
func (c Curve) Text() string {
	unit := "reads/s"
	large := c.Size > SmallSize
	if large {
		unit = "MB/s"
	}
	t := slices.Clone(table)
	t[1].Head = unit
	bars := barWidth()
	t[3].Width = bars
	var b strings.Builder
	fmt.Fprintf(&b, "random reads of %s\n\n%s", report.Bytes(int64(c.Size)), t.Header())
	most, knee := c.Most(), c.Knee()
	for _, p := range c.Points {
		rate, note := p.Rate, ""
		if large {
			rate *= float64(c.Size) / 1e6
		}
		if p == knee {
			note = "<- enough"
		}
		bar := strings.Repeat("#", max(1, int(p.Rate/most*float64(bars)+0.5)))
		b.WriteString(t.Row(strconv.Itoa(p.Depth), report.Count(rate), report.Micros(p.P50), bar, note))
	}
	return b.String() + "\n"
}
