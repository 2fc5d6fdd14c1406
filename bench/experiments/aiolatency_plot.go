package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/report"
)

// plotWidth and plotHeight are the size of a plot in characters.
const (
	plotWidth  = 64
	plotHeight = 12
)

// plotBurst draws the published picture in small: when each write was queued (.) and notified
// (#), upwards, by its number. It returns "" if the terminal is too narrow.
func plotBurst(r AIORow) string {
	if !report.Fits(plotWidth + len("12345678 | ")) {
		return ""
	}
	var grid [plotHeight][plotWidth]byte
	for i := range grid {
		copy(grid[i][:], strings.Repeat(" ", plotWidth))
	}
	all, writes := r.Round.All(), len(r.Round.Queued)
	mark := func(i int, at time.Duration, c byte) {
		row := min(int(int64(at)*plotHeight/max(int64(all), 1)), plotHeight-1)
		grid[plotHeight-1-row][i*plotWidth/writes] = c
	}
	for i := range writes {
		mark(i, r.Round.Notified[i], '#')
	}
	for i := range writes { // a . replaces the # of the same character
		mark(i, r.Round.Queued[i], '.')
	}
	var b strings.Builder
	name := string(r.Engine)
	if r.Scheduler != "" {
		name = r.Scheduler + ", " + name
	}
	fmt.Fprintf(&b, "%s: a write queued (.) and notified (#), ms by its number\n", name)
	for i := range grid {
		label := ""
		switch i {
		case 0:
			label = report.Micros(all / 1000)
		case plotHeight - 1:
			label = "0"
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%8s | %s", label, grid[i][:]), " ") + "\n")
	}
	fmt.Fprintf(&b, "%8s +-%s\n%8s  0%*d\n", "", strings.Repeat("-", plotWidth), "", plotWidth, writes)
	return b.String()
}
