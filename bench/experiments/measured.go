package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// NothingMeasured returns an error if no experiment of a run measured anything. The error has the
// first experiment's reason.
func NothingMeasured(results map[string]any) error {
	why := ""
	for _, e := range All {
		r, ok := results[e.Name].(Result)
		if !ok {
			continue
		}
		if measured(r) {
			return nil
		}
		why = cmp.Or(why, unsupported(r))
	}
	if why == "" {
		return errors.New("nothing could be measured")
	}
	return fmt.Errorf("nothing could be measured: %s", why)
}

// measured reports whether a result has any figures.
func measured(r Result) bool {
	if r, ok := r.(interface{ anyMeasured() bool }); ok { // a type may decide it without its points
		return r.anyMeasured()
	}
	return slices.ContainsFunc(r.Points(), func(p Point) bool { return p.Unsupported == "" && len(p.Rounds) > 0 })
}

// unsupported returns the reason of the first side that was not measured.
func unsupported(r Result) string {
	if r, ok := r.(interface{ reason() string }); ok && r.reason() != "" {
		return r.reason()
	}
	for _, p := range r.Points() {
		if p.Unsupported != "" {
			return p.Side.Name + ": " + p.Unsupported
		}
	}
	return ""
}

// anyMeasured reports whether a cell has both sides: one side alone compares nothing.
func (r *MatrixResult) anyMeasured() bool { return len(r.measured()) > 0 }

// anyMeasured reports whether there are rows. A row of a process that died counts: its death is a
// result.
func (r *ThreadsResult) anyMeasured() bool { return len(r.Rows) > 0 }

func (r *TransparentResult) anyMeasured() bool {
	return len(r.Crowd) > 0 || slices.ContainsFunc(r.Cells, func(c TransparentCell) bool { return c.Ratios != nil })
}
