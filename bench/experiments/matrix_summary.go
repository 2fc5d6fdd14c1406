package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// below returns the cells whose ratio of operations a second is below limit with its whole
// interval.
func (r *MatrixResult) below(limit float64) []Cell {
	return slices.DeleteFunc(r.decided(), func(c Cell) bool { return float64(c.Ratios.High) >= limit })
}

// measured returns the cells that were measured with both sides.
func (r *MatrixResult) measured() []Cell {
	return slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return c.Ratios == nil })
}

// decided returns the measured cells that have enough rounds for a verdict.
func (r *MatrixResult) decided() []Cell {
	return slices.DeleteFunc(r.measured(), func(c Cell) bool { return c.few() })
}

// failBelow returns a *BelowError if there are cells below limit.
func (r *MatrixResult) failBelow(limit float64) error {
	if limit <= 0 {
		return nil
	}
	if len(r.measured()) == 0 {
		return errors.New("matrix: no cell could be measured")
	}
	if len(r.decided()) == 0 {
		return fmt.Errorf("matrix: --fail-below needs at least %d rounds, and no cell has that many", RoundsForVerdict)
	}
	if cells := r.below(limit); len(cells) > 0 {
		return &BelowError{Limit: limit, Cells: cells}
	}
	return nil
}

// Seen returns a sentence about sluice's result.
func (r *MatrixResult) Seen() string {
	cells := r.measured()
	if len(cells) == 0 {
		return "no cell could be measured."
	}
	text := tally(cells) + "."
	if behind := withVerdict(cells, stats.Behind); len(behind) > 0 {
		text += " Behind: " + withRatios(behind) + "."
	}
	return text
}

// withVerdict returns the cells with that verdict.
func withVerdict(cells []Cell, v stats.Verdict) []Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return c.Ratios.Verdict != v })
}

// tally returns the number of cells, and how many have each verdict.
func tally(cells []Cell) string {
	text := fmt.Sprintf("%d cells: ", len(cells))
	if len(cells) == 1 {
		text = "1 cell: "
	}
	var parts []string
	for _, v := range []stats.Verdict{stats.Ahead, stats.Level, stats.Behind, stats.Unclear} {
		parts = append(parts, fmt.Sprintf("%d %s", len(withVerdict(cells, v)), v))
	}
	return text + strings.Join(parts, ", ")
}

// summary returns the lines under the table.
func (r *MatrixResult) summary() string {
	cells := r.measured()
	if len(cells) == 0 {
		return "\nno cell could be measured\n\n"
	}
	var b strings.Builder
	b.WriteString("\n" + driverLine(cells[0]) + report.Wrap(tally(cells)))
	if behind := withVerdict(cells, stats.Behind); len(behind) > 0 {
		b.WriteString(report.Wrap("behind: " + withRatios(behind)))
	}
	b.WriteString(startNotes(cells) + report.Wrap(verdictNote))
	return b.String() + "\n"
}

// startNotes returns a line for each cell of load.Start, with the time and memory of a process.
func startNotes(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		if c.Kind != load.Start {
			continue
		}
		var parts []string
		for _, side := range c.Sides {
			mean := stats.Median(side.Series(func(s load.Slice) float64 { return float64(s.Mean) }))
			resident := stats.Median(side.Series(func(s load.Slice) float64 { return float64(s.Resident) }))
			parts = append(parts, fmt.Sprintf("%.2f ms and %s by %s", mean/1e6, bytesOrNone(int64(resident)), side.Side.Name))
		}
		b.WriteString(report.Wrap(fmt.Sprintf("%s: a process takes, from start to end, %s", c.Name, strings.Join(parts, ", "))))
	}
	return b.String()
}

// verdictNote explains the verdicts of a table.
var verdictNote = fmt.Sprintf("ahead, behind: the whole 95 %% interval is above, or below, 1; level: it holds 1, and is within ±%s; unclear: it is wider, or of fewer than %d rounds",
	report.Percent(stats.Narrow), RoundsForVerdict)

// driverLine returns the first line with which sluice describes itself, or "" if sluice was not
// measured.
func driverLine(c Cell) string {
	line, _, _ := strings.Cut(c.Sides[1].Explain, "\n")
	if line == "" {
		return ""
	}
	return report.Wrap(line)
}
