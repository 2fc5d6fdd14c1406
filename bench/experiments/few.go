package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// RoundsForVerdict is the least with which stats.Interval has 95 %. Of fewer there is no
// verdict.
const RoundsForVerdict = 6

// few reports whether a side has rounds, and too few of them for a verdict.
func few(rounds int) bool { return rounds > 0 && rounds < RoundsForVerdict }

// marked returns a ratio for a table, with a mark if it is of few rounds.
func marked(ratio stats.Number, rounds int) string {
	if few(rounds) && !ratio.IsNaN() {
		return report.Ratio(ratio) + "*"
	}
	return report.Ratio(ratio)
}

// FewNote says below a table what the mark means, if there is any.
func FewNote(any bool) string {
	if !any {
		return ""
	}
	return report.Wrap(fmt.Sprintf("* of fewer than %d rounds, which cannot tell a difference from chance: no verdict", RoundsForVerdict))
}

// noVerdict returns the text that replaces a verdict when there are only so many rounds.
func noVerdict(rounds int) string {
	return fmt.Sprintf("it cannot be told by %d of the %d rounds that a verdict needs", rounds, RoundsForVerdict)
}
