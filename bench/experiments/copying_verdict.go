package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// copyFigure is what was published of a mode.
type copyFigure struct {
	text string
	base float64 // seconds of cp -r, 0 if they were not published
	wins bool    // whether the concurrent copy was the faster one
	// subject is the program that does what was published; "" is sluice cp.
	subject string
	finding func(*CopyMode) string // where it is no comparison with the first row
}

// finding says what has become of the published conclusion, and how much cp -r
// moves here: bytes a second, which trees of other sizes can be compared by.
func (m *CopyMode) finding(f *copyFigure) string {
	if f.finding != nil {
		return f.finding(m)
	}
	name := f.subject
	if name == "" {
		name = sluiceCP
	}
	base := m.Rows[0]
	if base.Unsupported != "" || base.Median.IsNaN() {
		return "cannot be told without " + base.Side.Name
	}
	text := fmt.Sprintf("%s %s s (%s MB/s)", base.Side.Name, secondsText(base.Median), report.Count(m.Moved()/base.Median/1e6))
	row, ok := m.row(name)
	if !ok {
		return text + "; it cannot be told without " + name
	}
	if n := len(row.Rounds); few(n) {
		return fmt.Sprintf("%s; %s: %s is %s times as fast", text, noVerdict(n), name, report.Ratio(row.Speed.Ratio))
	}
	return fmt.Sprintf("%s; %s: %s is %s times as fast (%s to %s)", text, f.holds(row.Speed), name,
		report.Ratio(row.Speed.Ratio), report.Ratio(row.Speed.Low), report.Ratio(row.Speed.High))
}

// Moved returns how many bytes a copy moves, counted as the publication does:
// what is read and what is written, a block for each directory included.
func (m *CopyMode) Moved() stats.Number {
	return stats.Number(2 * (m.Sum.Bytes + m.Sum.Dirs*tree.Block))
}

// holds returns whether the published finding still holds: that the concurrent copy is
// faster than cp -r, or slower.
func (f *copyFigure) holds(c Comparison) string {
	switch {
	case f.wins && c.Low > 1, !f.wins && c.High < 1:
		return "it still holds"
	case !f.wins && c.Low <= 1:
		return "it still holds, they are level"
	case f.wins && c.High >= 1:
		return "it cannot be told"
	}
	return "it does not hold"
}
