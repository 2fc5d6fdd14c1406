package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// below returns the cells with a verdict whose ratio of operations a second is less than limit.
func (r *MatrixResult) below(limit float64) []Cell {
	return slices.DeleteFunc(r.decided(), func(c Cell) bool { return float64(c.Ratios.Rate) >= limit })
}

// measured returns the cells that were measured with both sides.
func (r *MatrixResult) measured() []Cell {
	return slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return c.Ratios == nil })
}

// decided returns the measured cells that have enough rounds for a verdict.
func (r *MatrixResult) decided() []Cell {
	return slices.DeleteFunc(r.measured(), func(c Cell) bool { return tooFew(c.rounds()) })
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

// Seen returns a sentence on how sluice did.
func (r *MatrixResult) Seen() string {
	cells := r.measured()
	if len(cells) == 0 {
		return "no cell could be measured."
	}
	ahead, behind := 0, 0
	for _, c := range cells {
		switch {
		case tooFew(c.rounds()):
		case c.Ratios.Low > 1:
			ahead++
		case c.Ratios.High < 1:
			behind++
		}
	}
	return fmt.Sprintf("of %d cells sluice is ahead in %d and behind in %d by more than noise explains (95 %%); the median of the ratios is %s, the lowest %s.",
		len(cells), ahead, behind, report.Ratio(medianRate(cells)), report.Ratio(lowestRate(cells)))
}

func medianRate(cells []Cell) stats.Number {
	v := make([]stats.Number, len(cells))
	for i, c := range cells {
		v[i] = c.Ratios.Rate
	}
	return stats.Median(v)
}

func lowestRate(cells []Cell) stats.Number {
	lowest := cells[0].Ratios.Rate
	for _, c := range cells {
		lowest = min(lowest, c.Ratios.Rate)
	}
	return lowest
}

// summary returns the lines under the table.
func (r *MatrixResult) summary() string {
	cells := r.measured()
	if len(cells) == 0 {
		return "\nno cell could be measured\n\n"
	}
	series := func(of func(*Ratios) stats.Number) stats.Number {
		v := make([]stats.Number, len(cells))
		for i, c := range cells {
			v[i] = of(c.Ratios)
		}
		return stats.Median(v)
	}
	decided := r.decided()
	var b strings.Builder
	b.WriteString("\n" + FewNote(len(decided) < len(cells)) + driverLine(cells[0]))
	if len(decided) > 0 {
		lowest := slices.MinFunc(decided, func(a, b Cell) int { return cmp.Compare(a.Ratios.Rate, b.Ratios.Rate) })
		b.WriteString(report.Wrap(fmt.Sprintf("%d cells; %d below 1.00, %d below 0.95; lowest %s (%s)", len(decided),
			len(r.below(1)), len(r.below(0.95)), report.Ratio(lowest.Ratios.Rate), lowest.Name)))
	}
	b.WriteString(report.Wrap(fmt.Sprintf("medians of the cells: ops/s %s, CPU/op %s, p99 %s",
		report.Ratio(series(func(r *Ratios) stats.Number { return r.Rate })),
		report.Ratio(series(func(r *Ratios) stats.Number { return r.CPU })),
		report.Ratio(series(func(r *Ratios) stats.Number { return r.P99 })))))
	if r.Rounds >= RoundsForVerdict {
		b.WriteString(report.Wrap(fmt.Sprintf("a cell's ops/s ratio is good to ±%s (95 %%; median of the cells)",
			report.Percent(series(func(r *Ratios) stats.Number { return (r.High - r.Low) / 2 / r.Rate })))))
	}
	b.WriteString("\n")
	return b.String()
}

// driverLine returns the first line with which sluice describes itself, "" if it was not
// measured.
func driverLine(c Cell) string {
	line, _, _ := strings.Cut(c.Sides[1].Explain, "\n")
	if line == "" {
		return ""
	}
	return report.Wrap(line)
}
