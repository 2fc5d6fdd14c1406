package compare

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/report"
)

// BelowError is the error of sides of sluice that lost more than --fail-below allows.
type BelowError struct {
	Limit float64
	Lines []Line
}

// Error names the cells.
func (e *BelowError) Error() string {
	names := make([]string, len(e.Lines))
	for i, l := range e.Lines {
		names[i] = fmt.Sprintf("%s, %s %s (%s)", l.Cell, l.Side.Name, report.Ratio(l.Ratio), l.interval())
	}
	return fmt.Sprintf("compare: below %g: %s", e.Limit, some(names))
}

// FailBelow returns a *BelowError if a side of sluice has less than limit times its former
// operations a second; limit 0 never fails. As in the matrix, the whole interval must be below. A
// side with too few rounds is not judged. If all sides have too few, that is an error.
func (c *Changes) FailBelow(limit float64) error {
	if limit <= 0 {
		return nil
	}
	var below []Line
	judged := 0
	for _, l := range c.Lines {
		if !isSluice(l.Side) || l.few() || l.High.IsNaN() {
			continue
		}
		judged++
		if float64(l.High) < limit {
			below = append(below, l)
		}
	}
	if judged == 0 {
		return fmt.Errorf("compare: --fail-below judges no side of fewer than %d rounds, and there is no other", experiments.RoundsForVerdict)
	}
	if len(below) == 0 {
		return nil
	}
	return &BelowError{Limit: limit, Lines: below}
}
