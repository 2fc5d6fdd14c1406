package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// copyFigure is the published result of a mode.
type copyFigure struct {
	text string
	base float64 // seconds that cp -r took; 0 if not published
	wins bool    // whether the concurrent copy beat cp -r
	// subject is the program that repeats the published concurrent copy; "" means sluice cp.
	subject string
	finding func(*CopyMode) string // replaces the comparison with the first row, unless nil
}

// finding returns whether the published finding holds. It adds how many bytes a second cp -r moves
// here, to compare trees of different sizes.
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
		return "undecided without " + base.Side.Name
	}
	text := fmt.Sprintf("%s %s s (%s MB/s)", base.Side.Name, secondsText(base.Median), report.Count(m.Moved()/base.Median/1e6))
	row, ok := m.row(name)
	if !ok {
		return text + "; undecided without " + name
	}
	if n := len(row.Rounds); tooFew(n) {
		return fmt.Sprintf("%s; %s: %s is %s times as fast", text, noVerdict(n), name, report.Ratio(row.Speed.Ratio))
	}
	return fmt.Sprintf("%s; %s: %s is %s times as fast (%s to %s)", text, f.holds(row.Speed), name,
		report.Ratio(row.Speed.Ratio), report.Ratio(row.Speed.Low), report.Ratio(row.Speed.High))
}

// Moved returns the number of bytes that a copy reads and writes, counted as the publication does:
// with a block for each directory.
func (m *CopyMode) Moved() stats.Number {
	return stats.Number(2 * (m.Sum.Bytes + m.Sum.Dirs*tree.Block))
}

// holds returns whether the published finding holds: either that the concurrent copy is faster than
// cp -r, or that it is not.
func (f *copyFigure) holds(c Comparison) string {
	switch {
	case f.wins && c.Low > 1, !f.wins && c.High < 1:
		return "it still holds"
	case !f.wins && c.Verdict == stats.Level:
		return "it still holds, they are level"
	case f.wins && c.High < 1, !f.wins && c.Low > 1:
		return "it does not hold"
	}
	return "undecided"
}
