package pictures

import (
	"testing"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/results"
)

// TestPebbleFigure draws a cell with two sides: one that was measured beside stock, and one that
// was not.
func TestPebbleFigure(t *testing.T) {
	side := func(name, unsupported string, ratio stats.Number) experiments.PebbleSide {
		return experiments.PebbleSide{Ratio: ratio, Low: ratio, High: ratio, Result: &duel.Result{Side: load.Side{Name: name}, Unsupported: unsupported}}
	}
	cell := experiments.PebbleCell{Name: "get", Sides: []experiments.PebbleSide{
		side("stock", "", 1), side("buffered", "", 2), side("direct", "no O_DIRECT", stats.NaN),
	}}
	r := &experiments.PebbleResult{Cells: []experiments.PebbleCell{cell}}
	f := figureOf(results.Named{Result: r})
	if n := len(f.Table.Rows); n != 3 || f.Table.Rows[2][2] != "no O_DIRECT" {
		t.Errorf("the table is %v; want 3 rows, and why the last has no figures", f.Table.Rows)
	}
	if len(f.Pictures) != 1 {
		t.Fatalf("%d pictures; want 1", len(f.Pictures))
	}
	panel := f.Pictures[0].Chart.Rows[0][0]
	if points := panel.Series[0].Points; len(points) != 1 || points[0].X != 2 || panel.Y.Names[0] != "get, buffered" {
		t.Errorf("the picture has %v of %q; want buffered alone, at 2", points, panel.Y.Names)
	}
	r.Cells = nil
	if f := figureOf(results.Named{Result: r}); len(f.Pictures) != 0 {
		t.Errorf("%d pictures of nothing; want none", len(f.Pictures))
	}
}
