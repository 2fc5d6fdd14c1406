package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// RoundsForVerdict is the smallest number of rounds that give a verdict.
const RoundsForVerdict = stats.EnoughRounds

// tooFew reports whether a side has rounds, but too few for a verdict.
func tooFew(rounds int) bool { return rounds > 0 && rounds < RoundsForVerdict }

// ratioText returns a ratio for a table. An asterisk marks too few rounds for a verdict.
func ratioText(ratio stats.Number, rounds int) string {
	if tooFew(rounds) && !ratio.IsNaN() {
		return report.Ratio(ratio) + "*"
	}
	return report.Ratio(ratio)
}

// FewNote returns the line under a table that explains the asterisk of ratioText, or "" without
// asterisks.
func FewNote(asterisks bool) string {
	if !asterisks {
		return ""
	}
	return report.Wrap(fmt.Sprintf("* of fewer than %d rounds, which cannot tell a difference from chance: no verdict", RoundsForVerdict))
}

// noVerdict returns the text that replaces a verdict if there are too few rounds.
func noVerdict(rounds int) string {
	return fmt.Sprintf("undecided (%d of the %d rounds that a verdict needs)", rounds, RoundsForVerdict)
}
