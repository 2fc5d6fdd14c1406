package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// below returns the cells whose operations a second are under limit times
// those of os.File.
func (r *MatrixResult) below(limit float64) []Cell {
	return slices.DeleteFunc(r.measured(), func(c Cell) bool { return float64(c.Ratios.Rate) >= limit })
}

func (r *MatrixResult) measured() []Cell {
	return slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return c.Ratios == nil })
}

// failBelow returns a *BelowError if there are cells under limit.
func (r *MatrixResult) failBelow(limit float64) error {
	if limit <= 0 {
		return nil
	}
	if len(r.measured()) == 0 {
		return errors.New("matrix: no cell could be measured")
	}
	if cells := r.below(limit); len(cells) > 0 {
		return &BelowError{Limit: limit, Cells: cells}
	}
	return nil
}

// Seen says in a sentence how sluice did.
func (r *MatrixResult) Seen() string {
	cells := r.measured()
	if len(cells) == 0 {
		return "no cell could be measured."
	}
	ahead, behind := 0, 0
	for _, c := range cells {
		switch {
		case len(c.Sides[1].Rounds) < roundsForInterval:
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

// roundsForInterval is the least with which stats.Interval has 95 %.
const roundsForInterval = 6

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
	lowest := slices.MinFunc(cells, func(a, b Cell) int {
		if a.Ratios.Rate < b.Ratios.Rate {
			return -1
		}
		return 1
	})
	var b strings.Builder
	b.WriteString("\n" + driverLine(cells[0]))
	fmt.Fprintf(&b, "%d cells; %d below 1.00, %d below 0.95; lowest %s (%s)\n", len(cells),
		len(r.below(1)), len(r.below(0.95)), report.Ratio(lowest.Ratios.Rate), lowest.Name)
	fmt.Fprintf(&b, "medians of the cells: ops/s %s, CPU/op %s, p99 %s\n",
		report.Ratio(series(func(r *Ratios) stats.Number { return r.Rate })),
		report.Ratio(series(func(r *Ratios) stats.Number { return r.CPU })),
		report.Ratio(series(func(r *Ratios) stats.Number { return r.P99 })))
	if r.Rounds >= roundsForInterval {
		fmt.Fprintf(&b, "a cell's ops/s ratio is good to ±%s (95 %%; median of the cells)\n",
			report.Percent(series(func(r *Ratios) stats.Number { return (r.High - r.Low) / 2 / r.Rate })))
	}
	b.WriteString("\n")
	return b.String()
}

// driverLine is what sluice says first of itself, if it was there.
func driverLine(c Cell) string {
	line, _, _ := strings.Cut(c.Sides[1].Explain, "\n")
	if line == "" {
		return ""
	}
	return report.Wrap(line)
}
